// Elements, made in one line each.

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

/** An element of the page: its tag, perhaps with classes (`div.card.wide`), its attributes, what is in it. */
export function h(tag, attributes, ...children) {
  const [name, ...classes] = tag.split('.');
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(' ');
  return fill(element, attributes, children);
}

/** The same of a drawing. */
export function s(tag, attributes, ...children) {
  const [name, ...classes] = tag.split('.');
  const element = document.createElementNS(svgNamespace, name);
  if (classes.length) element.setAttribute('class', classes.join(' '));
  return fill(element, attributes, children);
}

/** Sets a text only where it differs, so that what reads the page aloud is told of changes alone; whether it did. */
export function setText(element, text) {
  if (element.textContent === text) return false;
  element.textContent = text;
  return true;
}

/** Draws the eye to something that has changed. */
export function flash(element) {
  element.classList.remove('flash');
  void element.getBoundingClientRect();
  element.classList.add('flash');
}

/** Brings the children of an element in line with a list, keeping those whose key is still there. */
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
