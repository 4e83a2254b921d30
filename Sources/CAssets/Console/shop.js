// The shop: a catalog for all spaces, and the cart of this one.

import { flash, h, reconcile, setText } from './dom.js';
import { money, plural } from './format.js';
import { actionPath, lineForm, perform, refusals } from './part.js';
import { space } from './space.js';
import { post } from './wire.js';

function product(refused) {
  return ({ id }) => h('li.product', {},
    h('span.name', {}), h('span.price', {}),
    h('button', { type: 'button', onclick: () => perform('cart/add', { productId: id }, refused) }, 'Add'));
}

function updateProduct(element, { name, price }) {
  const [label, tag, button] = element.children;
  setText(label, name);
  if (setText(tag, money(price)) && element.dataset.known) flash(tag);
  element.dataset.known = 'yes';
  button.setAttribute('aria-label', `Add ${name} to the cart`);
}

function line(refused) {
  return ({ productId }) => {
    const step = (label, action) => h('button.step', { type: 'button', 'aria-label': label, onclick: () => perform(`cart/${action}`, { productId }, refused) },
      action === 'increment' ? '+' : '−');
    return h('tr', {}, h('th', { scope: 'row' }), h('td.steps', {}, step('One fewer', 'decrement'), h('b'), step('One more', 'increment')), h('td.price'));
  };
}

function updateLine(row, { name, quantity, price, gone }) {
  const [label, steps, sum] = row.children;
  setText(label, gone ? 'This product (gone)' : name);
  const [fewer, count, more] = steps.children;
  const called = gone ? 'gone product' : name;
  fewer.setAttribute('aria-label', `One ${called} fewer`);
  more.setAttribute('aria-label', `One ${called} more`);
  more.disabled = gone;
  if (setText(count, String(quantity)) && row.dataset.known) flash(count);
  if (setText(sum, money(price)) && row.dataset.known) flash(sum);
  row.dataset.known = 'yes';
}

export function draw(page, { signal }) {
  const refused = refusals(), refusedBehind = refusals();
  const products = h('ul.products', { 'aria-label': 'Products' });
  const body = h('tbody');
  const empty = h('p.empty', {}, 'The cart is empty. Add a product from the catalog: all windows on this space show it.');
  const total = h('dd'), discount = h('dd'), toPay = h('dd.pay'), items = h('span.count');
  const clear = h('button.quiet', { type: 'button', onclick: () => perform('cart/clear', undefined, refused) }, 'Clear');
  const rate = h('input', {
    id: 'rate', type: 'range', min: '0', max: '0.9', step: '0.05',
    onchange: () => perform('catalog/setDiscount', { rate: Number(rate.value) }, refusedBehind, { home: 'common' }),
    oninput: () => setText(shownRate, `${Math.round(rate.value * 100)} %`),
  });
  const shownRate = h('output', { for: 'rate' });
  const table = h('table.cart', {},
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Product'), h('th', { scope: 'col' }, 'Quantity'), h('th', { scope: 'col' }, 'Price'))), body);
  const sums = h('dl.sums', { 'aria-live': 'polite' }, h('dt', {}, 'Total'), total, h('dt', {}, 'Discount'), discount, h('dt.pay', {}, 'To pay'), toPay);

  page.append(
    h('h1', {}, 'Shop'),
    h('p.lead', {}, 'A cart is the result of its actions. Prices come from the catalog in the space common: a change there updates the totals of all carts in all spaces.'),
    h('div.split.wide-left', {},
      h('section.stack', { 'aria-labelledby': 'catalog-title' }, h('h2', { id: 'catalog-title' }, 'Catalog'), products,
        h('details.card', {}, h('summary', {}, 'Manage the catalog'),
          h('div.stack', {},
            h('div.field', {}, h('label', { for: 'rate' }, 'Discount for all spaces'), h('div.row', {}, rate, shownRate)),
            h('h3', {}, 'Add or change a product'),
            lineForm('Add or change a product', [
              { name: 'id', label: 'Id', type: 'number', min: '1' }, { name: 'name', label: 'Name' }, { name: 'price', label: 'Price', type: 'number', min: '0' },
            ], 'Put', (values) => post(actionPath('catalog/put', 'common'), values)),
            h('h3', {}, 'Remove a product'),
            lineForm('Remove a product', [{ name: 'id', label: 'Id', type: 'number', min: '1' }], 'Remove',
              (values) => post(actionPath('catalog/remove', 'common'), values)),
            refusedBehind.element))),
      h('section.card.stack', { 'aria-labelledby': 'cart-title' },
        h('h2', { id: 'cart-title' }, 'Cart', items, clear), empty, table, sums, refused.element)));

  space.watch(['cart.', 'catalog.'], signal, (changed) => {
    const views = space.views;
    const orders = views['cart.orders'] ?? [];
    reconcile(products, views['catalog.products'] ?? [], ({ id }) => id, product(refused), updateProduct);
    reconcile(body, orders, ({ productId }) => productId, line(refused), updateLine);
    empty.hidden = orders.length > 0;
    table.hidden = sums.hidden = clear.hidden = orders.length === 0;
    setText(items, orders.length ? `${plural(views['cart.numberOfItems'], 'item')}` : '');
    const share = views['catalog.discountRate'] ?? 0;
    const write = (element, text) => { if (setText(element, text) && changed.length) flash(element); };
    write(total, money(views['cart.totalPrice']));
    write(discount, `${Math.round(share * 1000) / 10} %`);
    write(toPay, money(views['cart.discountedTotalPrice']));
    if (document.activeElement !== rate) {
      rate.value = share;
      setText(shownRate, `${Math.round(share * 100)} %`);
    }
  });
}
