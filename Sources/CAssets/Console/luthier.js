// The luthier: configuration, checkout and order of a guitar, equal in all windows.

import { celebrate } from './confetti.js';
import { flash, h, reconcile, setText } from './dom.js';
import { guitarDrawing, swatch } from './guitar.js';
import { perform, refusals } from './part.js';
import { space } from './space.js';

const parts = { shape: 'Shape', color: 'Color', body: 'Body', fretboard: 'Fretboard' };
const currencies = { usd: '$ USD', eur: '€ EUR', gbp: '£ GBP', ils: '₪ ILS' };

/** A choice as radio buttons. */
function choice(group, value, label, onChoose, ...more) {
  const input = h('input', { type: 'radio', name: group, value, onchange: () => onChoose(value) });
  return h('label.choice', {}, input, ...more, h('span.label', {}, label));
}

function picker(part, title, refused) {
  const list = h('div.choices');
  return {
    element: h('fieldset.picker', {}, h('legend', {}, title), list),
    draw(options, chosen) {
      reconcile(list, options, ({ name }) => name, ({ name, displayName, price }) =>
        choice(part, name, displayName, (value) => perform('luthier/select', { [part]: value }, refused), swatch(part, name),
          h('span.plus', {}, price ? `+ $${price}` : '')));
      for (const input of list.querySelectorAll('input')) input.checked = input.value === chosen;
    },
  };
}

class Sheet {
  constructor() {
    this.refused = refusals();
    this.title = h('h2', { id: 'sheet-title' });
    this.facts = h('p');
    this.shipping = h('div.choices');
    this.money = h('div.choices.across', {}, Object.entries(currencies).map(([name, label]) =>
      choice('currency', name, label, (currency) => perform('luthier/setCurrency', { currency }, this.refused))));
    this.note = h('p.note', { role: 'status' });
    this.sums = Object.fromEntries(['base', 'additions', 'shipping', 'total'].map((name) => [name, h(`dd${name === 'total' ? '.pay' : ''}`)]));
    this.order = h('button.primary', { type: 'button', onclick: () => perform('luthier/order', undefined, this.refused) });
    this.form = h('div.stack', {}, this.facts,
      h('fieldset', {}, h('legend', {}, 'Shipping'), this.shipping), h('fieldset', {}, h('legend', {}, 'Currency'), this.money), this.note,
      h('dl.sums', {}, h('dt', {}, 'Guitar'), this.sums.base, h('dt', {}, 'Parts'), this.sums.additions, h('dt', {}, 'Shipping'), this.sums.shipping,
        h('dt.pay', {}, 'Total'), this.sums.total),
      this.order);
    this.receipt = h('div.receipt', { role: 'status' });
    this.element = h('dialog.sheet', { 'aria-labelledby': 'sheet-title', oncancel: (event) => { event.preventDefault(); this.dismiss(); } },
      h('header', {}, this.title, h('button.quiet', { type: 'button', onclick: () => this.dismiss() }, 'Close')),
      this.form, this.receipt, this.refused.element);
  }

  dismiss() {
    return perform('luthier/dismiss', undefined, this.refused);
  }

  draw(views, changed) {
    const checkout = views['luthier.checkout'];
    const isOpen = !!checkout;
    if (isOpen && !this.element.open) this.element.showModal();
    if (!isOpen && this.element.open) this.element.close();
    if (!isOpen) return;
    const write = (element, text) => { if (setText(element, text ?? '') && changed.length) flash(element); };
    const didOrder = !!views['luthier.didOrder'];
    setText(this.title, didOrder ? 'Ordered' : checkout.guitar.description);
    setText(this.facts, checkout.isAvailable ? `It can be built in ${checkout.buildEstimate}.` : 'These parts are not available: choose others.');
    this.facts.classList.toggle('problem', !checkout.isAvailable);
    const prices = views['luthier.shippingPrices'] ?? {};
    reconcile(this.shipping, checkout.shippingOptions, ({ name }) => name,
      ({ name, time }) => choice('shipping', name, name, (value) => perform('luthier/selectShipping', { name: value }, this.refused), h('span.plus'), h('span.time', {}, time)),
      (element, { name }) => setText(element.querySelector('.plus'), prices[name] ?? ''));
    const chosen = views['luthier.shipping'] ?? checkout.shippingOptions[0]?.name;
    for (const input of this.shipping.querySelectorAll('input')) input.checked = input.value === chosen;
    const isUpdating = !!views['luthier.isUpdatingCurrency'];
    // A just selected currency stays selected while its rate is requested.
    if (!isUpdating) for (const input of this.money.querySelectorAll('input')) input.checked = input.value === views['luthier.currency'];
    setText(this.note, isUpdating ? 'Requesting the rate…' : views['luthier.currencyError'] ?? views['luthier.orderError'] ?? '');
    write(this.sums.base, views['luthier.basePrice']);
    write(this.sums.additions, views['luthier.additionsPrice']);
    write(this.sums.shipping, views['luthier.shippingPrice']);
    write(this.sums.total, views['luthier.totalPrice']);
    const isOrdering = !!views['luthier.isOrdering'];
    setText(this.order, isOrdering ? 'Ordering…' : `Order for ${views['luthier.totalPrice']}`);
    this.order.disabled = isOrdering || isUpdating || !checkout.isAvailable;
    this.order.classList.toggle('busy', isOrdering);
    this.form.hidden = didOrder;
    this.receipt.hidden = !didOrder;
    this.drawReceipt(didOrder ? views['luthier.order'] : null);
  }

  drawReceipt(order) {
    if (!order) return this.receipt.replaceChildren();
    if (this.receipt.dataset.number === order.number && this.receipt.childElementCount) return;
    this.receipt.dataset.number = order.number;
    this.receipt.replaceChildren(
      h('p', {}, order.guitar.description),
      h('dl.sums', {}, h('dt', {}, 'Order'), h('dd.mono', {}, order.number), h('dt', {}, 'Shipping'), h('dd', {}, order.shipping),
        h('dt.pay', {}, 'Total'), h('dd.pay', {}, order.formattedTotal ?? String(order.total))),
      h('button.primary', { type: 'button', onclick: () => this.dismiss() }, 'Build another'));
  }
}

export function draw(page, { signal }) {
  const refused = refusals();
  const drawing = guitarDrawing();
  const description = h('p.description', { 'aria-live': 'polite' });
  const pickers = Object.entries(parts).map(([part, title]) => ({ part, ...picker(part, title, refused) }));
  const checkout = h('button.primary.large', { type: 'button', onclick: () => perform('luthier/checkout', undefined, refused) });
  const clear = h('button', { type: 'button', onclick: () => perform('luthier/clear', undefined, refused) }, 'Start over');
  const failed = h('p.problem', { role: 'alert' });
  const sheet = new Sheet();
  page.append(
    h('h1', {}, 'Luthier'),
    h('p.lead', {}, 'Select the parts of a guitar, check it out and order it. All windows on this space show the same guitar.'),
    h('section.bench', { 'aria-label': 'The guitar' }, drawing.element, description),
    h('div.pickers', {}, pickers.map((one) => one.element)),
    h('div.row', {}, checkout, clear), failed, refused.element, sheet.element);
  signal.addEventListener('abort', () => sheet.element.close());
  space.watch(['luthier.'], signal, (changed, isFirst) => {
    const views = space.views;
    const guitar = views['luthier.guitar'], options = views['luthier.options'];
    if (!guitar || !options) return;
    drawing.draw(guitar);
    setText(description, guitar.description);
    for (const one of pickers) one.draw(options[one.part] ?? [], guitar[one.part]);
    const isLoading = !!views['luthier.isLoadingCheckout'];
    const label = isLoading ? 'Requesting the workshop…' : `Check out for ${guitar.formattedPrice}`;
    if (setText(checkout, label) && changed.includes('luthier.guitar')) flash(checkout);
    checkout.disabled = isLoading;
    checkout.classList.toggle('busy', isLoading);
    checkout.setAttribute('aria-busy', String(isLoading));
    setText(failed, views['luthier.checkoutError'] ?? '');
    sheet.draw(views, changed);
    if (!isFirst && changed.includes('luthier.didOrder') && views['luthier.didOrder']) celebrate(sheet.element);
  });
}
