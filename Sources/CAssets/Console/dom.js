// Constructors for elements.

const svgNamespace = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'data') Object.assign(element.dataset, value);
    else if (name in element && typeof value !== 'string' && !(element instanceof SVGElement)) element[name] = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Makes an element: tag with optional classes (`div.card.wide`), attributes, children. */
export function h(tag, attributes, ...children) {
  const [name, ...classes] = tag.split('.');
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(' ');
  return fill(element, attributes, children);
}

/** Makes an SVG element. */
export function s(tag, attributes, ...children) {
  const [name, ...classes] = tag.split('.');
  const element = document.createElementNS(svgNamespace, name);
  if (classes.length) element.setAttribute('class', classes.join(' '));
  return fill(element, attributes, children);
}

/** Sets a text if it differs, so that a screen reader announces changes only. Returns true if it differed. */
export function setText(element, text) {
  if (element.textContent === text) return false;
  element.textContent = text;
  return true;
}

/** Presses the button of the list element with the key, and no other; the list scrolls to a newly pressed one. */
export function press(list, key) {
  for (const one of list.children) {
    const button = one.firstChild, isPressed = one.dataset.key === key;
    const isNew = isPressed && button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', String(isPressed));
    if (!isNew) continue;
    const box = one.getBoundingClientRect(), frame = list.getBoundingClientRect();
    if (box.left < frame.left || box.right > frame.right) list.scrollLeft += box.left - frame.left - (frame.width - box.width) / 2;
    if (box.top < frame.top || box.bottom > frame.bottom) list.scrollTop += box.top - frame.top - (frame.height - box.height) / 2;
  }
}

/** Highlights a changed element. */
export function flash(element) {
  element.classList.remove('flash');
  void element.getBoundingClientRect();
  element.classList.add('flash');
}

/** Updates the children of an element from a list, and keeps those with the same key. */
export function reconcile(parent, items, keyOf, make, update) {
  const known = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const key = String(keyOf(item));
    let child = known.get(key);
    if (child) {
      known.delete(key);
    } else {
      child = make(item);
      child.dataset.key = key;
    }
    if (child === place) place = place.nextElementSibling;
    else parent.insertBefore(child, place);
    update?.(child, item);
  }
  for (const gone of known.values()) gone.remove();
}

export const prefersStillness = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
