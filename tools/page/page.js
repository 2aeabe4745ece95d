// SPDX-License-Identifier: MIT
// The script of the page: pictures of trees; tables.js is its other half. The page is
// complete without it. Names come from dumps and get into the document as text only,
// never as markup.
"use strict";

// For both halves.
function make(tag, parent, properties) {
	var element = document.createElement(tag);

	Object.assign(element, properties || {});
	if (parent)
		parent.appendChild(element);
	return element;
}

(function () {
	var SVG = "http://www.w3.org/2000/svg";
	var ROW = 20, CHAR = 6.7, HEIGHT = 460, MOST_ROWS = 24, LEAST = 2;

	function draw(tag, parent, attributes) {
		var element = document.createElementNS(SVG, tag);

		Object.keys(attributes).forEach(function (key) {
			element.setAttribute(key, attributes[key]);
		});
		parent.appendChild(element);
		return element;
	}

	// ---- numbers ------------------------------------------------------------

	function group(number) {
		return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
	}

	function bytes(number) {
		var units = ["KiB", "MiB", "GiB", "TiB", "PiB"], unit = -1;

		if (number < 1024)
			return group(number) + " bytes";
		while (number >= 1024 && unit < units.length - 1) {
			number /= 1024;
			unit++;
		}
		return number.toFixed(2) + " " + units[unit];
	}

	function share(part, whole) {
		return whole ? (part * 100 / whole).toFixed(1) + "%" : "-";
	}

	// ---- trees --------------------------------------------------------------

	// The nodes of DATA as objects. What a node's children do not account for
	// and the node does not have itself is one more child, the rest.
	function read(data) {
		var nodes = [], flat = data.nodes, i, node;

		for (i = 0; i < flat.length; i += 5) {
			node = {
				parent: i ? nodes[flat[i]] : null,
				name: data.names[flat[i + 1]],
				size: flat[i + 2],
				self: flat[i + 3],
				count: flat[i + 4],
				children: [],
				tone: flat[i + 1] % 8
			};
			nodes.push(node);
			if (node.parent)
				node.parent.children.push(node);
		}
		nodes.forEach(function (node) {
			var shown = node.self;

			node.children.sort(function (a, b) { return b.size - a.size; });
			node.children.forEach(function (child) { shown += child.size; });
			// Some of what a chain of objects keeps is beside its one node.
			node.whole = Math.max(shown, node.size);
			if (node.size - shown > node.size / 1000)
				node.children.push({
					parent: node, name: "(smaller ones)",
					size: node.size - shown, self: 0, count: 0,
					children: [], rest: true, whole: node.size - shown
				});
			// In a treemap, what a node has itself stays free.
			node.parts = node.children.concat({ size: node.self, free: true });
			node.parts.sort(function (a, b) { return b.size - a.size; });
		});
		nodes[0].name = "everything";
		return nodes[0];
	}

	// "HashMap" of "java.util.HashMap@0x7f": what fits into a small box.
	function simple(name) {
		var at = name.search(/[@(\[ "]/), head = at < 0 ? name : name.slice(0, at);

		return head.slice(head.lastIndexOf(".") + 1) +
			(at < 0 ? "" : name.slice(at));
	}

	function fit(name, width) {
		var room = Math.floor((width - 6) / CHAR);

		if (room < 2)
			return "";
		if (name.length > room)
			name = simple(name);
		return name.length <= room ? name : name.slice(0, room - 1) + "\u2026";
	}

	// ---- layouts: lists of boxes --------------------------------------------

	// Rows of boxes as near to squares as they get (Bruls, Huizing, van Wijk).
	function squarify(children, x, y, width, height, put) {
		var total = 0, at = 0, sum, end, side, worst, next, thick, along, i, length;

		children.forEach(function (child) { total += child.size; });
		while (at < children.length && total > 0) {
			side = Math.min(width, height);
			sum = 0;
			worst = Infinity;
			for (end = at; end < children.length; end++) {
				next = sum + children[end].size;
				thick = next / total * Math.max(width, height);
				length = children[end].size / next * side;
				i = children[at].size / next * side;
				i = Math.max(thick / length, i / thick, length / thick);
				if (!(i <= worst))
					break;
				worst = i;
				sum = next;
			}
			if (end === at)
				sum = children[end++].size;
			thick = sum / total * Math.max(width, height);
			for (along = 0; at < end; at++) {
				length = sum ? children[at].size / sum * side : 0;
				if (width >= height)
					put(children[at], x, y + along, thick, length);
				else
					put(children[at], x + along, y, length, thick);
				along += length;
			}
			total -= sum;
			if (width >= height) {
				x += thick;
				width -= thick;
			} else {
				y += thick;
				height -= thick;
			}
		}
	}

	function treemap(top, width) {
		var boxes = [];

		function place(node, x, y, w, h, depth) {
			if (w < LEAST || h < LEAST)
				return;
			boxes.push({ node: node, x: x, y: y, width: w, height: h,
				depth: depth });
			if (node.children.length && w > 24 && h > ROW + 12)
				squarify(node.parts, x + 3, y + ROW, w - 6, h - ROW - 3,
					function (child, cx, cy, cw, ch) {
						if (!child.free)
							place(child, cx, cy, cw, ch, depth + 1);
					});
		}
		place(top, 0, 0, width, HEIGHT, 0);
		return { boxes: boxes, height: HEIGHT };
	}

	function icicle(top, width) {
		var boxes = [], above = [], deepest = 0, row = 0, stack, node;

		for (node = top.parent; node; node = node.parent)
			above.unshift(node);
		above.slice(-4).forEach(function (node) {
			boxes.push({ node: node, x: 0, y: row++ * ROW, width: width,
				height: ROW, depth: 0 });
		});
		stack = [[top, 0, row, width]];
		while (stack.length) {
			var item = stack.pop(), x = item[1], w = item[3];
			var unit = w / item[0].whole;

			if (w < LEAST / 2 || item[2] >= MOST_ROWS + row)
				continue;
			deepest = Math.max(deepest, item[2]);
			boxes.push({ node: item[0], x: x, y: item[2] * ROW,
				width: w, height: ROW, depth: item[2] - row });
			item[0].children.forEach(function (child) {
				stack.push([child, x, item[2] + 1, child.size * unit]);
				x += child.size * unit;
			});
		}
		return { boxes: boxes, height: (deepest + 1) * ROW };
	}

	// ---- one picture ---------------------------------------------------------

	function Picture(figure, trees) {
		var self = this;

		this.keys = figure.dataset.trees.split(" ").filter(function (key) {
			return trees[key] && trees[key].nodes.length > 5; // a root alone
		});
		if (!this.keys.length)
			return;
		this.figure = figure;
		this.trees = trees;
		this.roots = {};
		this.shape = figure.dataset.shape === "icicle" ? icicle : treemap;
		this.tools(figure);
		this.crumbs = make("nav", figure, { className: "crumbs" });
		this.crumbs.setAttribute("aria-label", figure.dataset.label + ": zoom");
		this.canvas = make("div", figure, { className: "canvas", tabIndex: 0 });
		this.canvas.setAttribute("role", "application");
		this.canvas.setAttribute("aria-label", figure.dataset.label +
			". Arrow keys choose, Enter zooms in, Escape zooms out. " +
			figure.dataset.figures);
		this.said = make("p", figure, { className: "said" });
		this.said.setAttribute("aria-live", "polite");
		this.canvas.addEventListener("click", function (event) {
			var box = self.boxOf(event);

			self.canvas.focus({ preventScroll: true });
			if (box)
				self.zoom(box.node);
		});
		this.canvas.addEventListener("mousemove", function (event) {
			var box = self.boxOf(event);

			if (box && box.node !== self.chosen)
				self.choose(box.node);
		});
		this.canvas.addEventListener("keydown", function (event) {
			if (self.key(event.key))
				event.preventDefault();
		});
		new ResizeObserver(function () {
			if (self.canvas.clientWidth !== self.width)
				self.show();
		}).observe(this.canvas);
		figure.hidden = false;
		this.take(this.keys[0]);
	}

	Picture.prototype.choice = function (parent, label, words, value, act) {
		var group = make("div", parent), buttons;

		group.setAttribute("role", "group");
		group.setAttribute("aria-label", label);
		make("span", group, { textContent: label, className: "soft" });
		buttons = words.map(function (word) {
			var button = make("button", group, { textContent: word[1],
				type: "button" });

			button.dataset.value = word[0];
			button.setAttribute("aria-pressed", word[0] === value);
			button.addEventListener("click", function () {
				buttons.forEach(function (other) {
					other.setAttribute("aria-pressed", other === button);
				});
				act(word[0]);
			});
			return button;
		});
	};

	Picture.prototype.tools = function (figure) {
		var self = this, tools = make("div", figure, { className: "tools" }), find;

		if (this.keys.length > 1)
			this.choice(tools, "By", this.keys.map(function (key) {
				return [key, self.trees[key].label];
			}), this.keys[0], function (key) { self.take(key); });
		this.choice(tools, "As", [["treemap", "treemap"], ["icicle", "icicle"]],
			this.shape === icicle ? "icicle" : "treemap", function (word) {
				self.shape = word === "icicle" ? icicle : treemap;
				self.show();
			});
		find = make("label", make("div", tools), { textContent: "Find " });
		this.find = make("input", find, { type: "search", size: 14 });
		this.find.setAttribute("aria-label", "Find: " + figure.dataset.label);
		this.find.addEventListener("input", function () { self.show(); });
	};

	Picture.prototype.take = function (key) {
		this.data = this.trees[key];
		this.root = this.roots[key] = this.roots[key] || read(this.data);
		// The table with the same figures.
		document.querySelectorAll("details[data-tree=" + key + "]").
			forEach(function (details) { details.open = true; });
		this.zoom(this.root);
	};

	Picture.prototype.zoom = function (node) {
		// Of what is too small no parts are known: it stays a part itself.
		this.top = node.rest ? node.parent : node;
		this.chosen = node;
		this.show();
	};

	Picture.prototype.size = function (number) {
		var unit = this.data.unit;

		if (unit === "bytes")
			return bytes(number);
		return group(number) + " " + (number === 1 ? unit.replace(/s$/, "") : unit);
	};

	Picture.prototype.choose = function (node) {
		var box = this.boxes.find(function (box) { return box.node === node; });
		var text = node.name + ": " + this.size(node.size) + ", " +
			share(node.size, this.root.size) + " of all";

		if (node.count && this.data.unit === "bytes")
			text += ", " + group(node.count) +
				(node.count === 1 ? " object" : " objects");
		if (node.rest)
			text += "; each of them is too small to be shown";
		if (node.self && node.children.length)
			text += "; itself " + this.size(node.self);
		if (this.mark)
			this.mark.classList.remove("chosen");
		this.chosen = node;
		this.mark = box && box.element;
		if (this.mark)
			this.mark.classList.add("chosen");
		this.outline(box);
		this.said.textContent = text;
	};

	// Around the chosen box, if it is shown; on top of all, as its neighbours would
	// cover it, and inside, as the edge of the picture would cut it.
	Picture.prototype.outline = function (box) {
		this.frame.setAttribute("x", box ? box.x + 1 : 0);
		this.frame.setAttribute("y", box ? box.y + 1 : 0);
		this.frame.setAttribute("width", box ? Math.max(box.width - 2, 1) : 0);
		this.frame.setAttribute("height", box ? Math.max(box.height - 2, 1) : 0);
	};

	Picture.prototype.boxOf = function (event) {
		var element = event.target.closest(".box");

		return element && this.boxes[Number(element.dataset.box)];
	};

	Picture.prototype.key = function (key) {
		var node = this.chosen, list, at;

		if (key === "Enter" || key === " ") {
			this.zoom(node);
		} else if (key === "Escape" || key === "Backspace") {
			this.zoom(this.top.parent || this.top);
		} else if (key === "Home") {
			this.zoom(this.root);
		} else if (key === "ArrowDown") {
			if (node.children.length)
				this.choose(node.children[0]);
		} else if (key === "ArrowUp") {
			if (node !== this.top && node.parent)
				this.choose(node.parent);
		} else if (key === "ArrowLeft" || key === "ArrowRight") {
			if (node === this.top || !node.parent)
				return true;
			list = node.parent.children;
			at = list.indexOf(node) + (key === "ArrowRight" ? 1 : -1);
			if (list[at])
				this.choose(list[at]);
		} else {
			return false;
		}
		return true;
	};

	Picture.prototype.showCrumbs = function () {
		var self = this, list, node, path = [];

		this.crumbs.textContent = "";
		list = make("ol", this.crumbs);
		for (node = this.top; node; node = node.parent)
			path.unshift(node);
		path.forEach(function (node, i) {
			var item = make("li", list), button;

			// A deep path would push the picture off the screen.
			if (path.length > 7 && i > 2 && i < path.length - 3) {
				if (i === 3)
					item.textContent = "\u2026";
				else
					list.removeChild(item);
				return;
			}
			button = make("button", item, { type: "button",
				textContent: simple(node.name),
				title: node.name });
			if (node === self.top)
				button.setAttribute("aria-current", "true");
			button.addEventListener("click", function () {
				self.zoom(node);
				// This button is gone; who uses the keyboard must not be.
				self.crumbs.querySelector("[aria-current]").focus();
			});
		});
	};

	Picture.prototype.show = function () {
		var self = this, word = this.find.value.toLowerCase(), laid, svg;

		this.width = this.canvas.clientWidth;
		if (!this.width)
			return;
		laid = this.shape(this.top, this.width);
		this.boxes = laid.boxes;
		this.canvas.textContent = "";
		svg = draw("svg", this.canvas, { width: this.width, height: laid.height,
			"aria-hidden": "true", focusable: "false" });
		this.boxes.forEach(function (box, i) {
			var name = box.node.name;
			var hit = word && name.toLowerCase().indexOf(word) >= 0;
			var element = draw("g", svg, { "data-box": i, "class": "box " +
				(box.node.rest ? "rest" : "b" + box.node.tone) +
				(hit ? " hit" : "") });
			var text = box.height >= 14 ? fit(name, box.width) : "";

			draw("rect", element, { x: box.x, y: box.y,
				width: Math.max(box.width, 1), height: box.height });
			if (text)
				draw("text", element, { x: box.x + 4, y: box.y + 14 })
					.textContent = text;
			box.element = element;
		});
		this.frame = draw("rect", svg, { "class": "frame" });
		this.showCrumbs();
		this.choose(this.chosen);
	};

	// ---- all of it -----------------------------------------------------------

	var source = document.getElementById("data");
	var trees = source ? JSON.parse(source.textContent) : {};

	document.querySelectorAll("figure[data-trees]").forEach(function (figure) {
		return new Picture(figure, trees);
	});
})();
