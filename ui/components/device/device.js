// A random number that this browser keeps: it tells one phone of a class from another, and nothing else.
const NAME = "speculative-lab.device";
const GOOD = /^[0-9a-f]{32}$/;

const fresh = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

const kept = () => {
  try {
    const found = localStorage.getItem(NAME);
    if (GOOD.test(found)) return found;
    const made = fresh();
    localStorage.setItem(NAME, made);
    return made;
  } catch {
    // A browser that keeps nothing: good until the page is closed.
    return (window.speculativeLabDevice ??= fresh());
  }
};

export default function ({ data, setStateValue }) {
  if (!data.known) setStateValue("token", kept());
}
