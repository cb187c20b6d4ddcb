// A screen of the tour is made as large as the window allows: it is zoomed until it fills the height. The zoom also
// decides how wide it is laid out, so its height has to be tried out.

const LEAST = 0.5;
const MOST = 1.25;
const NARROW = 700; // on a phone text keeps its size, and the screen scrolls
const HALVINGS = 6;

// The largest zoom at which `height(zoom)`, in pixels of the window, is at most `room`. A screen for which none is small
// enough is made as small as may be, and scrolls for the rest.
function fit(height, room, width) {
  const [least, most] = width < NARROW ? [1, 1] : [LEAST, MOST];
  if (height(most) <= room) return most;
  if (height(least) > room) return least;
  let [low, high] = [least, most];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (height(middle) <= room) low = middle;
    else high = middle;
  }
  return low;
}
