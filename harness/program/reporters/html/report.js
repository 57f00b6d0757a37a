'use strict';
// Shows the report that stands as JSON in the element #report. Every text from it becomes a text
// node (`element`), and characters that could mislead a reader are spelled out (`nodes`).
(() => {
  /** The verdicts, the worst first. */
  const kSymbols = { crashed: '✕', diverged: '≠', nondeterministic: '?', stalled: '‖',
    'timed-out': '∞', unreadable: '!', inconclusive: '–', identical: '✓' };
  // Controls, marks of direction, joiners, and all else that has no shape of its own.
  const kUnseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
  const kMostDrawnTrials = 150;
  const kMostLines = 40;
  const kMostDots = 80;
  const kMostPlotted = 10;  // findings, whose plots are there from the beginning

  // Making elements.

  /** Nodes for a text; with `lines`, line feeds and tabs stay what they are. */
  function nodes(text, lines = false) {
    const made = document.createDocumentFragment();
    let done = 0;
    for (const { 0: unseen, index } of text.matchAll(kUnseen)) {
      if (lines && (unseen === '\n' || unseen === '\t')) continue;
      const code = unseen.codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
      made.append(text.slice(done, index), element('span',
        { class: 'unseen', title: 'a character that cannot be seen' }, `U+${code}`));
      done = index + unseen.length;
    }
    made.append(text.slice(done));
    return made;
  }

  /** An element. Strings among `children` are data or words, never markup; falsy is left out. */
  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === 'function') made.addEventListener(name, value);
      else if (value != null) made.setAttribute(name, value);
    }
    for (const child of children.flat(3)) {
      if (child) made.append(child instanceof Node ? child : nodes(String(child)));
    }
    return made;
  }

  /** The same for a drawing; `title` shows under the pointer. */
  function drawn(tag, attributes, title) {
    const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (title) made.append(drawn('title', {}));
    if (title) made.lastChild.append(nodes(title));
    return made;
  }

  const span = (kind, ...children) => element('span', { class: kind }, ...children);
  const button = (kind, click, ...children) =>
    element('button', { type: 'button', class: kind, click }, ...children);
  const list = (value) => (Array.isArray(value) ? value : []);
  const number = (value) => (Number.isSafeInteger(value) ? value.toLocaleString('en-US')
    : Number.isFinite(value) ? `≈ ${value.toExponential(3)}` : String(value));
  const count = (n, word) => `${number(n)} ${word}${n === 1 ? '' : 's'}`;
  function shortened(value, limit) {
    const text = String(value ?? '');
    const cut = text.length > limit;
    return cut ? `${text.slice(0, limit * 0.6)} … ${text.slice(-limit * 0.3)}` : text;
  }
  /** Words from the data, on their own as far as their direction goes; with `name`, as code. */
  const apart = (text, limit = 1000, kind = null) =>
    element('bdi', { class: kind, dir: 'ltr' }, shortened(text, limit));
  const name = (text, limit = 160) => apart(text, limit, 'name');
  const multiline = (tag, text, attributes = {}) =>
    element(tag, { dir: 'ltr', ...attributes }, nodes(String(text ?? ''), true));
  const tone = (verdict) => ({ identical: 'good', inconclusive: 'unsure' }[verdict] ?? 'bad');
  const severity = (verdict) => Object.keys(kSymbols).indexOf(verdict);
  const hidden = (kind, ...children) =>
    element('span', { class: kind, 'aria-hidden': 'true' }, ...children);
  const symbol = (verdict) => hidden('symbol', kSymbols[verdict] ?? '?');
  const badge = (verdict) =>
    span(`badge ${tone(verdict)}`, symbol(verdict), ' ', shortened(verdict, 40));
  const pair = (term, ...what) =>
    element('div', {}, element('dt', {}, term), element('dd', {}, what));

  /** Something folded away, made when it is first opened. */
  function folded(title, make) {
    const made = element('details', {}, element('summary', {}, title));
    made.addEventListener('toggle', () => made.open && made.append(make()), { once: true });
    return made;
  }

  // Copying.

  /** Where a page may not use the clipboard (as over http): by selecting a text field. */
  function copyBySelecting(text, focused) {
    const box = element('textarea', { 'aria-hidden': 'true', class: 'aside' });
    box.value = text;
    document.body.append(box);
    box.select();
    const copied = document.execCommand('copy');
    box.remove();
    focused.focus();
    return copied;
  }

  /** Copies `text`; where that fails, selects it where it is shown. */
  function copyButton(text, shown, label) {
    const made = button('copy', async () => {
      const copied = await (navigator.clipboard?.writeText(text) ?? Promise.reject())
        .then(() => true, () => copyBySelecting(text, made));
      if (!copied && shown) getSelection().selectAllChildren(shown);
      const told = copied ? 'Copied.' : `Could not copy.${shown ? ' Press Ctrl+C.' : ''}`;
      document.getElementById('status').replaceChildren(span(null, told));
      if (!copied) return;
      made.textContent = 'Copied';
      setTimeout(() => { made.textContent = 'Copy'; }, 2000);
    }, 'Copy');
    made.setAttribute('aria-label', label);
    return made;
  }

  function command(text) {
    const shown = element('code', { dir: 'ltr' }, text);
    return element('div', { class: 'command' }, shown, copyButton(text, shown, 'Copy the command'));
  }

  // Rows of a report page.

  function pageRow(row) {
    const lines = list(row.lines).slice(0, kMostLines);
    if (list(row.lines).length > kMostLines) lines.push('… and more');
    return pair(row.name, row.command ? command(row.text) : multiline('bdi', row.text),
      lines.length && multiline('pre', lines.join('\n')));
  }

  function pageRows(recording) {
    const rows = list(recording.rows).slice();
    const reproduce = list(recording.result?.failures)[0]?.reproduce;
    if (reproduce && !rows.some((row) => row.command)) {
      rows.push({ name: 'reproduce', text: reproduce, command: true });
    }
    for (const text of list(recording.result?.reasons)) {
      if (!rows.some((row) => row.text?.includes(text))) rows.push({ name: 'reason', text });
    }
    return rows.length && element('dl', { class: 'rows' }, rows.map(pageRow));
  }

  // Tables.

  /** Columns of words and of figures, to sort by what `of(row)` gives and to search in words. */
  const words = (title, of, cell = (row) => name(of(row), 600)) =>
    ({ title, cell, value: of, text: (row) => String(of(row) ?? '') });
  const figures = (title, of, cell = (row) => number(of(row)), kind = 'right') =>
    ({ title, cell, kind, value: of });
  const headRow = (cells) => element('thead', {}, element('tr', {}, cells));
  const tableRow = (kinds, first, ...rest) => element('tr', {},
    element('th', { scope: 'row', class: kinds[0] }, first),
    rest.map((cell, index) => element('td', { class: kinds[index + 1] }, cell)));
  const plainTable = (caption, titles, rows) => element('table', { class: 'axes' },
    element('caption', {}, caption),
    headRow(titles.map((title) => element('th', { scope: 'col' }, title))),
    element('tbody', {}, rows.map((cells) => tableRow([], ...cells))));
  let tables = 0;
  /**
   * A table that can be sorted and searched, and shows `size` rows at a time. With `detail(row)`,
   * the first cell opens what that makes, below its row.
   */
  function table({ caption, columns, rows, size, search, choices, sort, detail }) {
    const id = `table-${++tables}`;
    const state = { sort, down: false, page: 0, text: '', choice: () => true, shown: rows };
    const opened = new Map();
    const body = element('tbody');
    const heads = columns.map(({ title, kind, value }, index) => element('th',
      { scope: 'col', class: kind }, value ? button(null, () => sortBy(index), title) : title));
    const told = element('output', { class: 'told' });
    const box = element('input', { type: 'search', id: `${id}-search`, autocomplete: 'off',
      spellcheck: 'false', input: () => change({ text: box.value.toLowerCase() }) });
    const choose = choices && element('select', { id: `${id}-choice`,
      change: () => change({ choice: choices[choose.selectedIndex].test }) },
    choices.map(({ title }) => element('option', {}, title)));
    const back = button(null, () => turn(-1), 'Previous');
    const next = button(null, () => turn(1), 'Next');
    const pages = element('div', { class: 'pages' }, back, next);

    function change(to) {
      Object.assign(state, { page: 0 }, to);
      const fits = (row) =>
        columns.some(({ text }) => text?.(row).toLowerCase().includes(state.text));
      state.shown = rows.filter((row) => state.choice(row) && (!state.text || fits(row)));
      const value = columns[state.sort]?.value;
      const order = state.down ? -1 : 1;
      const keyed = state.shown.map((row) => [value?.(row), row]);
      if (value) keyed.sort(([a], [b]) => (a < b ? -order : a > b ? order : 0));
      state.shown = keyed.map(([, row]) => row);
      draw();
    }

    const sortBy = (index) => change({ sort: index, down: state.sort === index && !state.down });

    function turn(by) {
      const to = state.page + by;
      if (to >= 0 && to * size < state.shown.length) state.page = to;
      draw();
    }

    function toggle(row, opener) {
      opened.get(row)?.remove();
      if (!opened.delete(row)) {
        opened.set(row, element('tr', { class: 'detail' },
          element('td', { colspan: columns.length }, detail(row))));
        opener.closest('tr').after(opened.get(row));
      }
      opener.setAttribute('aria-expanded', opened.has(row));
    }

    function line(row) {
      const cells = columns.map(({ cell }) => cell(row));
      if (detail) {
        const opener = cells[0] = button('open', () => toggle(row, opener), cells[0]);
        opener.setAttribute('aria-expanded', opened.has(row));
      }
      const made = tableRow(columns.map(({ kind }) => kind), ...cells);
      return opened.has(row) ? [made, opened.get(row)] : [made];
    }

    function draw() {
      const [first, found] = [state.page * size, state.shown.length];
      body.replaceChildren(...state.shown.slice(first, first + size).flatMap(line));
      heads.forEach((head, index) => head.setAttribute('aria-sort',
        index !== state.sort ? 'none' : state.down ? 'descending' : 'ascending'));
      const all = found === rows.length ? '' : ` (of ${number(rows.length)})`;
      told.textContent = found === 0 ? 'None match.'
        : `${number(first + 1)}–${number(Math.min(found, first + size))} of ${number(found)}${all}`;
      pages.hidden = found <= size;
      back.setAttribute('aria-disabled', first === 0);
      next.setAttribute('aria-disabled', first + size >= found);
    }

    /** Opens a row and puts the keyboard on it, whatever is filtered. */
    function show(row) {
      if (!state.shown.includes(row)) {
        box.value = '';
        choose.selectedIndex = 0;
        change({ text: '', choice: () => true });
      }
      const at = state.shown.indexOf(row);
      state.page = Math.floor(at / size);
      draw();
      const opener = body.querySelectorAll(':scope > tr > th > .open')[at % size];
      if (!opened.has(row)) toggle(row, opener);
      opener.focus();
      opener.scrollIntoView({ block: 'start' });
    }

    change();
    const node = element('div', { class: 'grid' }, element('div', { class: 'tools' },
      search && [element('label', { for: box.id }, search), box],
      choices && [element('label', { for: choose.id }, 'Verdict'), choose], told, pages),
    element('div', { class: 'scroll' }, element('table', {},
      element('caption', {}, span('aside', caption)), headRow(heads), body)));
    return { node, show };
  }

  // One recording.

  /** The tick at which a trial diverged or ended, and in words, since it may have been earlier. */
  function endOf({ explanation, divergence, frames, tick, statistics }) {
    const seen = divergence?.computed ? Math.max(0, divergence.computed.ticks_done - 1) : null;
    const at = explanation?.tick ?? seen ?? tick ?? frames?.tick ?? statistics?.ticks_reached ?? 0;
    const late = at === seen && explanation?.tick == null && (divergence.last_agreed ?? 0) < seen;
    return { tick: at, text: `${number(at)}${late ? ' or earlier' : ''}` };
  }

  /** The two values with the beginning that they share set apart. */
  function valueOf({ kind }, mine, other, missing) {
    if (kind === missing) return element('em', {}, missing === 'gone' ? 'gone' : 'not there');
    const [a, b] = [String(mine ?? ''), String(other ?? '')];
    let same = 0;
    while (kind === 'value' && same < a.length && a[same] === b[same]) same += 1;
    return element('bdi', { dir: 'ltr', class: 'value' }, kind === 'length' && 'length ',
      span('same', shortened(a.slice(0, same), 80)), shortened(a.slice(same), 160));
  }

  function distance({ ulps, fixed }) {
    return ulps != null ? number(ulps)
      : fixed && `${number(fixed.units)} × 2^-${fixed.fraction_bits}`;
  }

  function fieldsOf(failure) {
    const { fields, frame } = failure.explanation;
    const listed = list(fields.listed);
    const columns = [
      words('path', (field) => field.path || '(the whole state)'),
      words('recorded', (field) => field.before,
        (field) => valueOf(field, field.before, field.after, 'added')),
      words('computed', (field) => field.after,
        (field) => valueOf(field, field.after, field.before, 'gone')),
      figures('ulps', (field) => field.ulps ?? field.fixed?.units ?? -1, distance)];
    if (listed.some(({ note }) => note)) columns.push(words('note', (field) => field.note));
    const total = fields.total ?? listed.length;
    const ms = (time_ns) => `${Number((time_ns / 1e6).toFixed(3))} ms`;
    const differ = `${count(total, 'field')} ${total === 1 ? 'differs' : 'differ'}`;
    return [
      element('p', {}, `Trial ${number(failure.trial)}, tick ${endOf(failure).text}`,
        frame && ` (frame ${number(frame.frame)}, ${ms(frame.frame_time_ns)})`, `: ${differ}`,
        total > listed.length && `; ${number(listed.length)} listed`, '.'),
      table({ caption: `Fields that differ in trial ${failure.trial}`, columns, rows: listed,
        size: 20, search: 'Search fields' }).node];
  }

  function fieldSection(failures) {
    const known = failures.filter(({ explanation }) => list(explanation?.fields?.listed).length);
    const why = failures.map(({ explanation }) => explanation?.fields?.unknown).find(Boolean);
    if (!known.length) {
      return why && [element('h4', {}, 'Fields'), element('p', {}, 'Not known: ', apart(why))];
    }
    const place = element('div', {}, fieldsOf(known[0]));
    const pick = element('select', {
      change: () => place.replaceChildren(...fieldsOf(known[pick.selectedIndex])) },
    known.map(({ trial }) => element('option', {}, `trial ${trial}`)));
    return [element('h4', {}, 'Fields'),
      known.length > 1 && element('label', { class: 'tools' }, 'Shown trial ', pick), place];
  }

  /** A thin lane for each failing trial, with a mark at the tick of its end. */
  function strip(result, failures) {
    const identical = `${number(result.trials_identical ?? 0)} identical`;
    const lanes = failures.slice(0, kMostDrawnTrials);
    const height = lanes.length <= 30 ? 16 : lanes.length <= 75 ? 8 : 4;
    const tall = height - (height > 4 ? 3 : 1);
    const ends = failures.map((failure) => endOf(failure).tick).sort((a, b) => a - b);
    const ticks = Math.max(1, result.ticks ?? 0, (ends.at(-1) ?? 0) + 1);
    const percent = (tick) => `${((tick / ticks) * 100).toFixed(3)}%`;
    const bar = (kind, from, to, y, of) => drawn('rect',
      { class: kind, x: percent(from), y, width: percent(to - from), height: of });
    const failed = ends.length && `; ${number(ends.length)} failed, the first at tick ` +
      `${number(ends[0])}, the last at tick ${number(ends.at(-1))}`;
    const picture = drawn('svg', { width: '100%', height: lanes.length * height + 22, role: 'img',
      'aria-label': `${identical} through ${count(result.ticks ?? 0, 'tick')}${failed || ''}.` });
    picture.append(bar(result.trials_identical ? 'same' : 'after', 0, ticks, 0, 14));
    lanes.forEach((failure, index) => {
      const { tick } = endOf(failure);
      const [x, y] = [percent(tick), 22 + index * height];
      const lane = drawn('g', {},
        `trial ${failure.trial}: ${failure.verdict}, tick ${endOf(failure).text}`);
      lane.append(bar('same', 0, tick, y, tall), bar('after', tick, ticks, y, tall),
        failure.verdict === 'diverged'
          ? drawn('rect', { class: 'mark', x, y, width: 4, height: tall })
          : drawn('circle', { class: 'mark', cx: x, cy: y + tall / 2, r: Math.max(2, tall / 2) }));
      picture.append(lane);
    });
    const key = (kind, text) => span(null, span(`key ${kind}`), text);
    return element('figure', {}, element('div', { class: 'strip' },
      hidden('labels', span(null, identical),
        height === 16 && lanes.map(({ trial }) => span(null, `trial ${trial}`))),
      element('div', {}, picture,
        hidden('scale', span(null, 'tick 0'), span(null, `tick ${number(ticks - 1)}`)))),
    failures.length && element('figcaption', {}, key('same', 'same as recorded'),
      key('mark', 'first difference'), key('mark round', 'ended otherwise'),
      key('after', 'after that'), failures.length > lanes.length &&
        `The first ${lanes.length} of ${count(failures.length, 'failing trial')} are drawn.`));
  }

  // Plots, each with its table.

  const milliseconds = (ns) => Number((ns / 1e6).toFixed(6));
  const decimal = (value) => value.toLocaleString('en-US', { maximumFractionDigits: 6 });
  const hasPlots = () => typeof uPlot === 'function';
  /** A color of the page's style, for the canvas. */
  const ink = (color) => getComputedStyle(document.documentElement).getPropertyValue(color);
  const darkness = matchMedia('(prefers-color-scheme: dark)');

  /** What a plot or picture shows, as a table that opens below it; open where there is no plot. */
  function inNumbers(title, open, make) {
    const made = folded(title, make);
    made.open = open;
    return made;
  }

  /** The options of a plot of frames: the failing trial's dots and the passing one's dashes. */
  function plotOptions({ unit, frames, odd, passes, whole }) {
    const told = (plot, value) => (value == null ? 'none'
      : whole ? count(value, unit) : `${decimal(value)} ${unit}`);
    const axis = { stroke: () => ink('--quiet'), grid: { stroke: () => ink('--line'), width: 1 },
      ticks: { show: false }, labelSize: 18, labelFont: '13px system-ui', font: '12px system-ui' };
    const upright = (plot, frame) => Math.round(plot.valToPos(frame, 'x', true));
    function shade(plot) {
      const { ctx, bbox: { left, top, width, height } } = plot;
      const band = (color, from, to) => {
        const [a, b] = [from, to].map((x) => Math.min(Math.max(upright(plot, x), left),
          left + width));
        ctx.fillStyle = ink(color);
        ctx.fillRect(a, top, b - a, height);
      };
      ctx.save();
      band('--inset', frames.failed + 0.5, Infinity);
      for (const { first, count } of odd) band('--unsure-ground', first - 0.5, first + count - 0.5);
      ctx.restore();
    }
    function mark(plot) {
      const { ctx, bbox: { left, top, width, height } } = plot;
      const x = upright(plot, frames.failed);
      const ratio = devicePixelRatio;
      ctx.save();
      ctx.fillStyle = ctx.strokeStyle = ink('--bad');
      ctx.lineWidth = 2 * ratio;
      ctx.setLineDash([]);
      ctx.beginPath();
      ctx.moveTo(x, top);
      ctx.lineTo(x, top + height);
      ctx.stroke();
      ctx.font = `600 ${12 * ratio}px system-ui`;
      const before = x > left + width / 2;
      ctx.textAlign = before ? 'end' : 'start';
      ctx.textBaseline = 'top';
      ctx.fillText(frames.mark, x + (before ? -6 : 6) * ratio, top + 3 * ratio);
      ctx.restore();
    }
    return {
      padding: [8, 12, 0, 0],
      cursor: { sync: { key: frames.key }, y: false, drag: { x: false, y: false } },
      legend: { markers: { width: 0 } },
      scales: { x: { time: false, range: (plot, low, high) => [low - 0.7, high + 0.7] },
        y: { range: (plot, low, high) => {
          const room = (high - low || 1) * 0.15;
          return [whole || (low >= 0 && low < room) ? 0 : low - room, high + 2 * room];
        } } },
      axes: [{ ...axis, label: 'frame', size: 28, incrs: [1, 2, 5, 10, 20, 50, 100, 200],
        values: (plot, at) => at.map((value) => number(value)) },
      { ...axis, label: whole ? 'ticks run' : 'frame time, ms', size: 60,
        ...(whole && { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] }) }],
      series: [{ label: 'frame', value: (plot, value) => (value == null ? '–' : number(value)) },
        { label: 'fails', stroke: () => ink('--bad-mark'), width: 1.5, value: told,
          points: { size: 6, fill: () => ink('--bad-mark'),
            show: (plot) => plot.data[0].length <= kMostDots } },
        ...(passes ? [{ label: 'passes', stroke: () => ink('--good'), width: 1.5, dash: [6, 4],
          value: told, points: { show: false } }] : [])],
      hooks: { drawClear: [shade], draw: [mark] },
    };
  }

  /** A plot that is drawn once there is room for it; the arrow keys move along its frames. */
  function plot(label, data, options) {
    const made = element('div', { class: 'plot', role: 'img', tabindex: 0, 'aria-label': label });
    let drawing = null;
    let at = options.start;
    const go = (to) => {
      at = Math.min(Math.max(to, 0), data[0].length - 1);
      drawing.setCursor({ left: drawing.valToPos(data[0][at], 'x'), top: 1 }, true, true);
    };
    made.addEventListener('mouseleave', () => drawing && go(at));
    made.addEventListener('keydown', (event) => {
      const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: Infinity }[event.key];
      if (to === undefined || !drawing) return;
      event.preventDefault();
      go(to);
    });
    new ResizeObserver(() => {
      const size = { width: made.clientWidth, height: options.tall };
      if (!size.width) return;
      if (drawing) {
        drawing.setSize(size);
        return;
      }
      const ready = [(plotted) => {
        drawing = plotted;
        go(at);
      }];
      new uPlot({ ...options, ...size, hooks: { ...options.hooks, ready } }, data, made);
      darkness.addEventListener('change', () => drawing.redraw());
    }).observe(made);
    return made;
  }

  let plots = 0;
  function frameSection(failure) {
    const { frames, explanation } = failure ?? {};
    if (!frames) return null;
    const { first, failed, fails, passes } = frames;
    const rows = fails.frame_time_ns.map((time, at) => ({ frame: first + at, time,
      ticks: fails.ticks[at], time2: passes?.frame_time_ns[at], ticks2: passes?.ticks[at] }));
    const odd = list(explanation?.provoking);
    const { tick, text } = endOf(failure);
    const what = failure.verdict === 'crashed' ? 'crashes' : 'diverges';
    const named = { failed, key: `plot-${++plots}`, mark: `tick ${number(tick)} ${what}` };
    const column = (of) => rows.map((row) => row[of] ?? null);
    const [times, times2] = ['time', 'time2'].map((of) => column(of)
      .map((time) => time && milliseconds(time)));
    const numbers = rows.map(({ frame }) => frame);
    const range = (values, whole) => {
      const all = values.filter((value) => value != null);
      const [low, high] = [Math.min(...all), Math.max(...all)];
      return `${decimal(low)}${low === high ? '' : ` to ${decimal(high)}`}${whole ? '' : ' ms'}`;
    };
    const draw = (title, unit, a, b, whole) => plot(
      `${title} of frames ${number(first)} to ${number(numbers.at(-1))}. The trial that fails: ` +
      `${range(a, whole)}${passes ? `; the one that passes: ${range(b, whole)}` : ''}. In frame ` +
      `${number(failed)}, tick ${text} ${what}. Arrow keys step through the frames; the table ` +
      'below has the same values.',
      passes ? [numbers, a, b] : [numbers, a],
      { ...plotOptions({ unit, frames: named, odd, passes, whole }), start: failed - first,
        tall: whole ? 150 : 190 });
    const key = (kind, text) => span(null, span(`key ${kind}`), text);
    const ms = (value) => (value == null ? 'none' : decimal(milliseconds(value)));
    const many = (value) => (value == null ? 'none' : number(value));
    const columns = [figures('frame', (row) => row.frame),
      figures('fails: frame time, ms', (row) => row.time, (row) => ms(row.time)),
      figures('fails: ticks run', (row) => row.ticks),
      ...(passes ? [figures('passes: frame time, ms', (row) => row.time2 ?? -1,
        (row) => ms(row.time2)),
      figures('passes: ticks run', (row) => row.ticks2 ?? -1, (row) => many(row.ticks2))] : []),
      words('note', ({ frame }) => (frame === failed ? named.mark : frame > failed ? 'not run'
        : odd.some((one) => frame >= one.first && frame < one.first + one.count)
          ? 'not nominal' : ''))];
    return [element('h4', {}, 'Frame times and ticks'),
      element('p', {}, `Trial ${number(failure.trial)} fails in frame ${number(failed)}, where ` +
        `tick ${text} ${what}. `, passes
        ? 'Trial 0 passes: it has the nominal frame times, with one tick in each frame.'
        : 'There is no trial that passes to compare it with: the nominal one fails, too.'),
      hasPlots() && element('figure', { class: 'plots' },
        draw('Frame times', 'ms', times, times2, false),
        draw('Ticks run', 'tick', column('ticks'), column('ticks2'), true),
        element('figcaption', {}, odd.length > 0 && key('odd', 'not as long as a nominal frame'),
          key('rest', 'not run: what the schedule has next'))),
      inNumbers('Frames as a table', !hasPlots(), () => table({ caption: 'Frames', columns, rows,
        size: 25 }).node)];
  }

  /** Which parts of the state differ at which ticks. */
  function partSection(failure) {
    if (!failure?.explanation) return null;
    const title = element('h4', {}, 'Parts of the state over time');
    const known = failure.explanation.part_history;
    if (!known) {
      return [title, element('p', {}, 'Not known: for that, a trial must be the same in each run ' +
        'and never go back in time, and there must be hashes of parts to compare with.')];
    }
    const [from, to] = known.compared;
    const parts = list(known.parts);
    const state = (done) => (done === 0 ? 'the initial state' : `tick ${number(done - 1)}`);
    const stretch = ([a, b]) => (a === b ? state(a) : `${state(a)} to ${number(b - 1)}`);
    const stretches = ({ differs }) => differs.map(stretch).join(', ');
    const end = to + known.every;
    const percent = (states) => `${((states / (end - from)) * 100).toFixed(3)}%`;
    const picture = drawn('svg', { width: '100%', height: parts.length * 16, role: 'img',
      'aria-label': `Where parts differ, from ${state(from)} to ${state(to)}. ` +
        parts.map((one) => `${one.part}: ${shortened(stretches(one), 200)}.`).join(' ') });
    parts.forEach((one, index) => {
      const lane = (kind, [a, b], told) => picture.append(drawn('rect', { class: kind,
        x: percent(a - from), y: index * 16, width: percent(b + known.every - a), height: 13 },
      `${one.part}: ${told}`));
      lane('same', known.compared, 'as recorded');
      one.differs.forEach((states) => lane('mark', states, `differs, ${stretch(states)}`));
    });
    const healed = Math.max(...parts.map(({ differs }) => differs.at(-1)[1])) + known.every;
    const differ = (n) => `${count(n, 'part')} ${n === 1 ? 'differs' : 'differ'}`;
    const key = (kind, text) => span(null, span(`key ${kind}`), text);
    return [title, element('p', {}, known.every === 1 ? 'After each tick'
      : `Every ${count(known.every, 'tick')}, where the recording has hashes of parts,`,
    ` from ${state(from)} to ${state(to)}: ${differ(known.total)}`,
    known.same > 0 && `, ${number(known.same)} never`, '.',
    known.total > parts.length && ` The first ${parts.length} are shown.`,
    parts.length === known.total && healed <= to &&
      ` From ${state(healed)} on, the state is as recorded again.`),
    element('figure', {}, element('div', { class: 'strip' },
      hidden('labels parts', parts.map(({ part }) => span(null, shortened(part, 40)))),
      element('div', {}, picture,
        hidden('scale', span(null, state(from)), span(null, state(to))))),
    element('figcaption', {}, key('same', 'as recorded'), key('mark wide', 'differs'))),
    inNumbers('Parts as a table', false, () => table({ caption: 'Parts', rows: parts, size: 32,
      columns: [words('part', ({ part }) => part), words('differs', stretches)] }).node)];
  }

  /** How many fields differ after which ticks. */
  function impactSection(failure) {
    const impact = failure?.explanation?.impact;
    const points = list(impact?.fields);
    if (points.length < 2) return null;
    const [first, last] = [points[0], points.at(-1)];
    const most = Math.max(...points.map(({ differing }) => differing));
    const height = 96;
    const x = ({ ticks_done: done }) =>
      `${(((done - first.ticks_done) / (last.ticks_done - first.ticks_done)) * 100).toFixed(3)}%`;
    const y = ({ differing }) => 4 + (height - 8) * (1 - differing / most);
    const told = ({ ticks_done: done, differing }) =>
      `${count(differing, 'field')} in tick ${number(done - 1)}`;
    const picture = drawn('svg', { width: '100%', height, role: 'img',
      'aria-label': `Fields that differ: ${points.map(told).join(', ')}.` });
    points.slice(1).forEach((point, index) => picture.append(drawn('line', { class: 'curve',
      x1: x(points[index]), y1: y(points[index]), x2: x(point), y2: y(point) })));
    points.forEach((point) => picture.append(drawn('circle', { class: 'mark', cx: x(point),
      cy: y(point), r: 3 }, told(point))));
    return [element('h4', {}, 'Fields that differ over time'),
      element('p', {}, `${told(first)}, ${told(last)}; at most ${count(most, 'field')} in the ` +
        `${number(points.length)} states compared.`,
      Number.isSafeInteger(impact.same_from) &&
        ` From tick ${number(impact.same_from - 1)} on, the state is as recorded again.`),
      element('figure', {}, element('div', { class: 'strip' },
        hidden('labels curve', span(null, number(most)), span(null, '0')),
        element('div', {}, picture, hidden('scale', span(null, `tick ${first.ticks_done - 1}`),
          span(null, `tick ${number(last.ticks_done - 1)}`))))),
      inNumbers('Fields as a table', false, () => table({ caption: 'Fields', rows: points,
        size: 40, columns: [figures('after tick', ({ ticks_done: done }) => done - 1),
          figures('fields that differ', ({ differing }) => differing)] }).node)];
  }

  /** What peers did when: the time line that the page has as a picture, and each in numbers. */
  function peerSection({ result, place }) {
    const drawing = document.getElementById(`time-line-${place}`);
    const peers = list(result?.peers);
    if (!drawing && !peers.length) return null;
    const frame = drawing && element('div', { class: 'card picture', role: 'img', tabindex: 0,
      'aria-label': `${drawing.content.querySelector('title')?.textContent}: the time line of ` +
        'each peer. The table below says what each did in all.' });
    if (frame) {
      // Where its style, which is that of a file of its own, changes nothing else.
      frame.attachShadow({ mode: 'open' }).append(drawing.content.cloneNode(true),
        element('style', {}, 'svg { width: 100%; min-width: 48rem; height: auto }'));
    }
    const all = (title, of) => figures(title, (one) => one[of] ?? 0);
    const columns = [all('peer', 'peer'), words('state', ({ state }) => state),
      all('ticks', 'verified'), all('rollbacks', 'rollbacks'),
      all('furthest back, ticks', 'most_back'), all('stalled frames', 'stalls'),
      all('frames held back', 'waits'), all('packets sent', 'packets_sent')];
    return [element('h4', {}, 'Peers over time'), frame,
      peers.length > 0 && inNumbers('Peers as a table', !frame, () => table({ caption: 'Peers',
        columns, rows: peers, size: 16 }).node)];
  }

  /** What happened over time, of a recording that is shown in full. */
  function overTime(recording, findings) {
    const finding = findings.find((one) => one.number === recording.finding);
    if (finding && finding.smallest !== recording.recording) {
      return element('p', {}, 'It fails like a smaller one, ', name(finding.smallest),
        ', which is shown over time.');
    }
    const failures = list(recording.result?.failures);
    const shown = failures.find((one) => one.explanation || one.frames);
    return [frameSection(shown), partSection(shown), impactSection(shown),
      peerSection(recording)];
  }

  function trialSection(result, failures) {
    if (result.trials == null) return null;
    const others = { others: result.trials_identical, verdict: 'identical' };
    const columns = [
      figures('trial', (row) => row.trial ?? Infinity,
        (row) => (row.others ? `${number(row.others)} others` : number(row.trial)), 'short'),
      words('verdict', (row) => row.verdict, (row) => badge(row.verdict)),
      figures('tick', (row) => (row.others ? Infinity : endOf(row).tick),
        (row) => !row.others && endOf(row).text),
      words('drive', (row) => row.drive),
      { title: 'command', cell: (row) => row.reproduce &&
        copyButton(row.reproduce, null, `Copy the command for trial ${row.trial}`) }];
    return [element('h4', {}, 'Trials'), strip(result, failures),
      failures.length && table({ caption: 'Trials', columns, size: 10,
        rows: others.others ? [...failures, others] : failures,
        search: failures.length > 10 && 'Search trials' }).node];
  }

  function axisSection(result) {
    const all = Math.max(1, result.trials ?? 1);
    const meter = (value) => element('meter', { max: all, value, 'aria-hidden': 'true' });
    const varied = list(result.perturbed).map(({ axis, trials }) =>
      [name(axis), [meter(trials), ` ${number(trials)} of ${number(all)}`]]);
    const not = list(result.unvaried).map(({ axis, reason }) => [name(axis), apart(reason)]);
    return (varied.length || not.length) && [element('h4', {}, 'Axes'),
      element('div', { class: 'columns' },
        varied.length && plainTable('Varied', ['axis', 'trials'], varied),
        not.length && plainTable('Could not be varied', ['axis', 'why'], not))];
  }

  function sessionSection({ session, loops, root_seed: seed, session_digest: digest, note }) {
    const config = Object.entries(session?.config ?? {}).map((entry) => entry.join('=')).join(', ');
    const facts = { simulation: session?.simulation, 'tick rate': session?.tick_rate,
      players: session?.players, seed: session?.seed, config, loops: list(loops).join(', '),
      'root seed': seed, digest, note };
    const known = Object.entries(facts).filter(([, value]) => value != null && value !== '');
    return known.length && [element('h4', {}, 'Session'), element('dl', { class: 'facts' },
      known.map(([key, value]) => pair(key, name(value, 2000))))];
  }

  function plainPage(page) {
    const shown = multiline('pre', page, { class: 'page', tabindex: 0 });
    const copy = copyButton(page, shown, 'Copy the plain text');
    return element('div', { class: 'plain' }, copy, shown);
  }

  function recordingDetail(recording, findings) {
    const { recording: path, page, result = {} } = recording;
    const failures = list(result.failures);
    return element('article', { 'aria-label': shortened(path, 160) },
      element('h3', {}, name(path, Infinity)), pageRows(recording), fieldSection(failures),
      overTime(recording, findings),
      trialSection(result, failures), axisSection(result), sessionSection(result),
      page && folded('The page as plain text', () => plainPage(page)));
  }

  // The whole page.

  function topOf(report, recordings) {
    const sum = (of) => recordings.reduce((all, one) => all + (one.result?.[of] ?? 0), 0);
    const verdict = report.verdict ?? 'inconclusive';
    return element('div', {},
      element('p', { class: 'brand' }, element('strong', {}, 'isotick'),
        ` ${report.command ?? ''} report`),
      element('div', { class: `banner ${tone(verdict)}` },
        element('h1', {}, symbol(verdict), ' ', shortened(verdict, 60)),
        element('p', {}, apart(report.summary)),
        element('p', { class: 'quiet' }, `${count(recordings.length, 'recording')}, ` +
          `${count(sum('trials'), 'trial')}, ${number(sum('trials_identical'))} identical`)),
      report.partial && element('p', { class: 'notice', role: 'note' },
        element('strong', {}, '! Partial report. '),
        'The run ended early: recordings or trials may be missing.'));
  }

  function findingCard(finding, recordings, findings, open) {
    const members = recordings.filter((one) => one.finding === finding.number);
    const smallest = members.find((one) => one.recording === finding.smallest) ?? members[0];
    const link = (one) => button('link', () => open(one), name(one.recording));
    const id = `finding-${finding.number}`;
    const many = count(members.length, 'recording');
    const membersTable = () => table({ caption: `Recordings of finding ${finding.number}`,
      rows: members, size: 20, search: members.length > 20 && 'Search recordings',
      columns: [words('recording', (one) => one.recording, link),
        figures('ticks', (one) => one.result?.ticks ?? 0)] }).node;
    return element('article', { class: `card ${tone(finding.verdict)}`, 'aria-labelledby': id },
      element('h3', { id }, `Finding ${finding.number}: `, apart(finding.title, 600)),
      element('p', { class: 'quiet' }, badge(finding.verdict), ` in ${many}`,
        smallest && ['; the smallest is ', link(smallest)]),
      smallest && pageRows(smallest),
      smallest && finding.number <= kMostPlotted && overTime(smallest, findings),
      members.length > 1 && folded(`All ${many} of this finding`, membersTable));
  }

  function recordingTable(recordings, findings) {
    const choice = (title, test) =>
      ({ title: `${title} (${number(recordings.filter(test).length)})`, test });
    const verdicts = [...new Set(recordings.map((one) => one.verdict))];
    verdicts.sort((a, b) => severity(a) - severity(b));
    const choices = [choice('all', () => true),
      choice('not identical', (one) => one.verdict !== 'identical'),
      ...verdicts.map((of) => choice(shortened(of, 40), (one) => one.verdict === of))];
    const of = (one) => ({ trials: null, trials_identical: 0, ticks: null, ...one.result });
    const columns = [
      words('recording', (one) => one.recording, (one) => name(one.recording || '(no name)')),
      { ...words('verdict', ({ verdict }) => verdict, ({ verdict }) => badge(verdict)),
        value: ({ verdict }) => severity(verdict) },
      figures('ticks', (one) => of(one).ticks ?? -1,
        (one) => of(one).ticks != null && number(of(one).ticks), 'right optional'),
      figures('identical trials', (one) => of(one).trials_identical - of(one).trials,
        (one) => (of(one).trials == null ? 'none'
          : `${number(of(one).trials_identical)} of ${number(of(one).trials)}`)),
      figures('finding', (one) => one.finding ?? Infinity,
        (one) => one.finding != null && number(one.finding))];
    return table({ caption: 'Recordings', columns, rows: recordings, size: 100, search: 'Filter',
      choices, sort: 1, detail: (one) => recordingDetail(one, findings) });
  }

  function start() {
    const place = (id) => document.getElementById(id);
    let report;
    try {
      report = JSON.parse(place('report').textContent);
    } catch (error) {
      place('top').append(element('h1', {}, 'isotick report'),
        element('p', { class: 'notice' }, `The report cannot be read: ${error.message}`));
      return;
    }
    const [recordings, findings] = [list(report.recordings), list(report.findings)];
    document.title = `isotick: ${report.verdict}, ${shortened(report.summary, 120)}`;
    place('top').append(topOf(report, recordings));
    recordings.forEach((one, index) => { one.place = index; });
    const all = recordings.length && recordingTable(recordings, findings);
    place('findings').append(...findings.map((one) =>
      findingCard(one, recordings, findings, all.show)));
    place('findings').hidden = !findings.length;
    place('recordings').append(all ? all.node
      : element('p', {}, 'There are no recordings in this report.'));
    place('recordings').hidden = false;
    if (recordings.length === 1 && !findings.length) {
      place('recordings').querySelector('.open').click();
    }
    place('bottom').append(element('p', { class: 'quiet' },
      `Made by isotick ${report.isotick ?? ''}. This page needs no other file. `, hasPlots()
        ? 'Its plots are drawn by uPlot (MIT license, in this page’s source).'
        : 'This isotick was built without uPlot: tables only, no plots.'));
  }

  start();
  document.documentElement.dataset.ready = 'true';
  performance.mark('isotick-ready');
})();
