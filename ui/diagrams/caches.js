const make = (className, text) => {
  const node = document.createElement("span");
  node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
};

const visible = (text) => text.trim() || text.replaceAll("\n", "↵").replaceAll("\t", "→").replaceAll(" ", "␣");

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".caches");
  root.setAttribute("role", "img");
  root.setAttribute("aria-label", data.label);
  root.replaceChildren(
    ...data.rows.map(({ name, before, fed, kept, after }) => {
      const row = make("cache");
      const cells = make("cells");
      cells.append(make("cell old", `${before} from before`));
      fed.forEach((text, i) => {
        if (i === kept) cells.append(make("cut", "✂"));
        cells.append(make(`cell ${i < kept ? "stays" : "taken"}`, visible(text)));
      });
      row.append(make(`name ${name.toLowerCase()}`, name), cells, make("after", `${after} stay`));
      return row;
    }),
  );
}
