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
    for (const child of children.flat(2)) {
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
  function endOf({ explanation, divergence, tick, statistics }) {
    const seen = divergence?.computed ? Math.max(0, divergence.computed.ticks_done - 1) : null;
    const at = explanation?.tick ?? seen ?? tick ?? statistics?.ticks_reached ?? 0;
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

  function recordingDetail(recording) {
    const { recording: path, page, result = {} } = recording;
    const failures = list(result.failures);
    return element('article', { 'aria-label': shortened(path, 160) },
      element('h3', {}, name(path, Infinity)), pageRows(recording), fieldSection(failures),
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

  function findingCard(finding, recordings, open) {
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
      members.length > 1 && folded(`All ${many} of this finding`, membersTable));
  }

  function recordingTable(recordings) {
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
      choices, sort: 1, detail: recordingDetail });
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
    const all = recordings.length && recordingTable(recordings);
    place('findings').append(...findings.map((one) => findingCard(one, recordings, all.show)));
    place('findings').hidden = !findings.length;
    place('recordings').append(all ? all.node
      : element('p', {}, 'There are no recordings in this report.'));
    place('recordings').hidden = false;
    place('bottom').append(element('p', { class: 'quiet' },
      `Made by isotick ${report.isotick ?? ''}. This page needs no other file.`));
  }

  start();
  document.documentElement.dataset.ready = 'true';
  performance.mark('isotick-ready');
})();
