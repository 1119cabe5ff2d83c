// SPDX-License-Identifier: Apache-2.0
// How far the elements of an output are off: a canvas per plane of the two last axes.

const FAILS = 128, NO_DISTANCE = 65;

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/// A colour per value of a cell, the farthest ones at `most`.
function palette(most) {
  const names = ["near-pass", "far-pass", "near-fail", "far-fail"];
  const [nearPass, farPass, nearFail, farFail] = names.map((name) => channels(color(name)));
  const between = (near, far, share) => `rgb(${near.map((c, i) => Math.round(c + (far[i] - c) * share)).join(" ")})`;
  return (cell) => {
    const distance = cell % FAILS;
    if (cell === 0) return color("equal");
    if (distance === NO_DISTANCE) return color(cell >= FAILS ? "none" : "far-pass");
    const share = most > 1 ? Math.max(0, distance - 1) / (most - 1) : 1;
    return cell >= FAILS ? between(nearFail, farFail, share) : between(nearPass, farPass, share);
  };
}

/// The value of a cell in words.
function distanceText(cell) {
  const distance = cell % FAILS, end = cell >= FAILS ? ", does not pass" : ", passes";
  if (cell === 0) return "equal bits";
  if (distance === NO_DISTANCE) return "no distance (NaN, infinity)" + end;
  if (distance === 0) return "0 ULP" + end;
  if (distance === 1) return "1 ULP" + end;
  if (distance > 20) return `2^${distance - 1} ULP or more, below 2^${distance}` + end;
  return `${whole(2 ** (distance - 1))}–${whole(2 ** distance - 1)} ULP` + end;
}

class ErrorMap {
  constructor(output, plane) {
    this.map = output.errors;
    const shape = output.type.match(/\[([^\]]*)\]$/);
    this.rank = !shape ? this.map.outer.length + 2 : shape[1] === "" ? 0 : shape[1].split(",").length;
    this.rows = Math.ceil(this.map.rows / this.map.row_step);
    this.columns = Math.ceil(this.map.columns / this.map.column_step);
    const bytes = atob(this.map.cells);
    this.cells = Uint8Array.from(bytes, (character) => character.charCodeAt(0));
    this.most = Math.max(1, ...new Set(this.cells.map((cell) => (cell % FAILS === NO_DISTANCE ? 0 : cell % FAILS))));
    this.plane = Math.min(Math.max(plane, 0), this.map.planes - 1);
    this.cursor = null;
    this.canvas = el("canvas", {
      tabindex: "0", role: "img", "aria-label": "Error map; the arrow keys move over its cells",
      onpointermove: (event) => this.point(event), onpointerdown: (event) => this.point(event),
      onpointerleave: () => this.move(null), onkeydown: (event) => this.key(event),
    });
    this.readout = el("output", {}, "");
    this.position = el("span", {}, "");
  }

  node() {
    const shown = this.map.planes, all = this.map.outer.reduce((product, size) => product * size, 1);
    const slider = el("input", {
      type: "range", min: 0, max: shown - 1, value: this.plane, "aria-label": "Plane",
      oninput: () => { this.plane = Number(slider.value); this.draw(); this.say(); },
    });
    const blocks = this.map.row_step > 1 || this.map.column_step > 1;
    this.legend = el("ul", {class: "legend"});
    const node = el("div", {class: "map"},
      el("h4", {}, "Where the errors are"),
      el("p", {class: "faint"}, `Rows and columns are the last two axes: ${whole(this.map.rows)} x ${whole(this.map.columns)}.`,
        blocks ? ` A cell is the worst of ${this.map.row_step} x ${this.map.column_step} elements.` : "",
        shown < all ? ` ${whole(shown)} of ${whole(all)} planes are here: the first ones with mismatches.` : ""),
      el("div", {class: "plane"}, shown > 1 ? slider : null, this.position),
      this.canvas, this.readout, this.legend);
    requestAnimationFrame(() => { this.draw(); this.say(); });
    return node;
  }

  cell(row, column) { return this.cells[(this.plane * this.rows + row) * this.columns + column]; }

  draw() {
    const room = Math.min(this.canvas.parentElement.clientWidth || 320, 640);
    const size = Math.max(1, Math.min(28, Math.floor(room / this.columns), Math.floor(640 / this.rows)));
    const gap = size >= 8 ? 1 : 0, colors = palette(this.most), known = new Map();
    this.size = size;
    this.canvas.width = this.columns * size;
    this.canvas.height = this.rows * size;
    const context = this.canvas.getContext("2d");
    for (let row = 0; row < this.rows; ++row)
      for (let column = 0; column < this.columns; ++column) {
        const cell = this.cell(row, column);
        if (!known.has(cell)) known.set(cell, colors(cell));
        context.fillStyle = known.get(cell);
        context.fillRect(column * size, row * size, size - gap, size - gap);
      }
    if (this.cursor) {
      context.strokeStyle = color("cursor");
      context.lineWidth = size >= 8 ? 2 : 1;
      context.strokeRect(this.cursor[1] * size + 0.5, this.cursor[0] * size + 0.5, Math.max(size - 1, 2), Math.max(size - 1, 2));
    }
    this.position.textContent = this.map.planes === 0 ? "no plane" : this.map.outer.length
      ? `plane ${this.plane + 1} of ${this.map.planes}: [${[...this.outer(), ":", ":"].join(",")}]` : "";
    this.drawLegend(colors);
  }

  drawLegend(colors) {
    const ramp = (offset) => `linear-gradient(to right, ${colors(offset + 1)}, ${colors(offset + this.most)})`;
    const farthest = this.most > 1 ? `1 to ${this.most > 20 ? "2^" + this.most : whole(2 ** this.most - 1)} ULP` : "1 ULP";
    const item = (style, text) => el("li", {}, el("span", {style: "background: " + style}), text);
    const has = (test) => this.cells.some(test);
    this.legend.replaceChildren(...[
      item(colors(0), "equal bits"),
      has((cell) => cell > 0 && cell < FAILS) && item(ramp(0), `passes, ${farthest}`),
      has((cell) => cell >= FAILS && cell % FAILS !== NO_DISTANCE) && item(ramp(FAILS), `does not pass, ${farthest}`),
      has((cell) => cell === FAILS + NO_DISTANCE) && item(colors(FAILS + NO_DISTANCE), "NaN or infinity against anything else"),
    ].filter(Boolean));
  }

  /// The outer coordinates of the plane.
  outer() {
    let index = this.map.plane_indices[this.plane];
    return this.map.outer.reduceRight((list, size) => {
      list.unshift(index % size);
      index = Math.floor(index / size);
      return list;
    }, []);
  }

  say() {
    if (!this.cursor || !this.map.planes) {
      this.readout.textContent = "Point at a cell, or move over them with the arrow keys.";
      return;
    }
    const range = (cell, step, size) =>
      step === 1 ? String(cell) : `${cell * step}..${Math.min(size, (cell + 1) * step) - 1}`;
    const [row, column] = this.cursor;
    const last = [range(row, this.map.row_step, this.map.rows), range(column, this.map.column_step, this.map.columns)];
    const index = [...this.outer(), ...last].slice(this.rank < 2 ? 2 - this.rank : 0);
    this.readout.textContent = `[${index.join(",")}]: ${distanceText(this.cell(row, column))}`;
  }

  move(cursor) {
    this.cursor = cursor;
    this.draw();
    this.say();
  }

  point(event) {
    const box = this.canvas.getBoundingClientRect();
    const at = (position, length, cells) => Math.min(cells - 1, Math.max(0, Math.floor((position / length) * cells)));
    this.move([at(event.clientY - box.top, box.height, this.rows), at(event.clientX - box.left, box.width, this.columns)]);
  }

  key(event) {
    const step = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key];
    if (!step) return;
    event.preventDefault();
    const [row, column] = this.cursor ? this.cursor.map((at, axis) => at + step[axis]) : [0, 0];
    this.move([Math.min(this.rows - 1, Math.max(0, row)), Math.min(this.columns - 1, Math.max(0, column))]);
  }
}
