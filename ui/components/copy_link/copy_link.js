// Browsers give the clipboard to pages that came by https or from this machine only. Elsewhere, and where the visitor
// said no, the link is shown in a field, selected and ready to be copied by hand.
const LABEL = "Copy link to exactly this";

export default function ({ parentElement }) {
  const [button, told, field] = ["button", "p", "input"].map((tag) => parentElement.querySelector(tag));
  if (button.textContent) return;
  button.textContent = LABEL;
  button.addEventListener("click", async () => {
    const link = window.location.href;
    try {
      await navigator.clipboard.writeText(link);
      field.hidden = true;
      told.textContent = "Copied.";
    } catch {
      field.hidden = false;
      field.value = link;
      field.select();
      told.textContent = "Copy it from here:";
    }
  });
}
