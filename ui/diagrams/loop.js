const cells = (row, count, look) =>
  row.replaceChildren(
    ...Array.from({ length: count }, (_, i) => {
      const [state, glyph] = look(i);
      const cell = document.createElement("span");
      cell.className = `cell ${state}`;
      cell.textContent = glyph;
      return cell;
    }),
  );

export default function ({ data, parentElement }) {
  const find = (name) => parentElement.querySelector(name);
  const { gamma } = data;
  const miss = Math.floor(gamma / 2);
  const guess = () => ["pending", "?"];
  cells(find(".guesses"), gamma, guess);
  cells(find(".checked"), gamma, guess);
  cells(find(".settled"), gamma, (i) => (i < miss ? ["kept", "✓"] : i === miss ? ["correction", "✎"] : ["discarded", "✕"]));
  find(".draft").textContent = gamma === 1 ? "1 cheap guess (γ = 1)." : `${gamma} cheap guesses (γ = ${gamma}).`;
}
