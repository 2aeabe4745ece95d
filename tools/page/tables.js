// SPDX-License-Identifier: MIT
// The other half of the page's script: tables that sort and filter, and what is folded
// on paper.
(function () {
	var LONG = 25; // rows, of which a folded table shows some 20

	function value(row, column) {
		var cell = row.cells[column];

		return cell.dataset.v !== undefined ? Number(cell.dataset.v) :
			cell.textContent.toLowerCase();
	}

	function sort(table, column, button) {
		var head = table.tHead.rows[0].cells[column], body = table.tBodies[0];
		var was = head.getAttribute("aria-sort");
		var numbers = head.classList.contains("n"), sign;

		sign = was ? (was === "ascending" ? -1 : 1) : (numbers ? -1 : 1);
		Array.from(table.tHead.rows[0].cells).forEach(function (cell) {
			cell.removeAttribute("aria-sort");
		});
		head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
		Array.from(body.rows).map(function (row) {
			return [value(row, column), row];
		}).sort(function (a, b) {
			return sign * (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0);
		}).forEach(function (pair) { body.appendChild(pair[1]); });
		button.focus();
	}

	// Rows of a tree begin with a dot for each row above them.
	function level(row) {
		return /^\u00b7*/.exec(row.cells[0].textContent)[0].length;
	}

	// What one sees of a row: the number of its level is only heard.
	function words(row) {
		var copy = row.cloneNode(true);

		copy.querySelectorAll(".level").forEach(function (level) { level.remove(); });
		return copy.textContent.toLowerCase();
	}

	// Shows also what is above the rows of a tree that are shown.
	function showAbove(rows) {
		var last = 0;

		rows.slice().reverse().forEach(function (row) {
			var own = level(row);

			if (own < last)
				row.hidden = false;
			if (!row.hidden)
				last = own;
		});
	}

	// Cuts a long table, and returns a function that shows all of it, or less. What
	// is cut is still there for a search by the browser, which scrolls to it.
	function fold(region, count) {
		var line = make("div", null, { className: "tools" });
		var button = make("button", line, { type: "button" });

		function show(all) {
			region.classList.toggle("fold", !all);
			button.textContent = all ? "Show fewer rows" :
				"Show all " + count + " rows";
			button.setAttribute("aria-expanded", all);
		}
		button.addEventListener("click", function () {
			show(region.classList.contains("fold"));
			button.scrollIntoView({ block: "nearest" });
		});
		region.addEventListener("scroll", function () {
			var top = region.scrollTop;

			if (top > 0 && region.classList.contains("fold")) {
				show(true);
				window.scrollBy(0, top);
			}
		});
		region.parentNode.insertBefore(line, region.nextSibling);
		show(false);
		return show;
	}

	// A field before an element that hides those PARTS whose text has not its word.
	// SHOWN is called with each word.
	function filter(label, before, parts, texts, shown) {
		var line = make("div", null, { className: "find" }), input, count;

		input = make("input", make("label", line, { textContent: "Filter " }),
			{ type: "search" });
		// Heard alone, one filter is like another.
		input.setAttribute("aria-label", "Filter: " + label);
		count = make("output", line, { className: "soft" });
		input.addEventListener("input", function () {
			var word = input.value.toLowerCase(), left = 0;

			parts.forEach(function (part, i) {
				part.hidden = texts[i].indexOf(word) < 0;
				left += !part.hidden;
			});
			shown(word);
			count.textContent = word ? left + " of " + parts.length : "";
		});
		before.parentNode.insertBefore(line, before);
	}

	function filterTable(table, region, tree, show) {
		var rows = Array.from(table.tBodies[0].rows);

		filter(table.caption.textContent, region, rows, rows.map(words),
			function (word) {
				if (tree)
					showAbove(rows);
				if (show)
					show(word !== "");
			});
	}

	// Threads are found by what is in their stacks, too.
	function filterThreads() {
		var all = Array.from(document.querySelectorAll("#threads > details"));

		if (all.length > 10)
			filter("Threads", all[0], all, all.map(function (one) {
				return one.textContent.toLowerCase();
			}), function () {});
	}

	function enrich(table) {
		var region = table.closest(".scroll"), tree = table.closest(".tree");
		var count = table.tBodies[0].rows.length;

		if (!region || !table.tHead || count < 3)
			return;
		// A row of a tree is where it is: sorted, it would be below any other.
		Array.from(tree ? [] : table.tHead.rows[0].cells).forEach(function (cell, column) {
			var button = make("button", null, { type: "button",
				textContent: cell.textContent });

			if (!cell.textContent)
				return;
			cell.textContent = "";
			cell.appendChild(button);
			button.addEventListener("click", function () {
				sort(table, column, button);
			});
		});
		if (count > 10)
			filterTable(table, region, tree,
				count > LONG ? fold(region, count) : null);
	}

	// A table that fits has nothing to scroll: who uses the keyboard need not stop there.
	var stops = new ResizeObserver(function (entries) {
		entries.forEach(function (entry) {
			var region = entry.target;

			if (region.scrollWidth > region.clientWidth)
				region.tabIndex = 0;
			else
				region.removeAttribute("tabindex");
		});
	});

	document.querySelectorAll("table").forEach(enrich);
	document.querySelectorAll(".scroll").forEach(function (region) {
		stops.observe(region);
	});
	filterThreads();
	// On paper all is unfolded, also in browsers that do not know what the style says
	// about it; afterwards it is as it was.
	var folded = [];
	window.addEventListener("beforeprint", function () {
		folded = Array.from(document.querySelectorAll("details:not([open])"));
		folded.forEach(function (details) { details.open = true; });
	});
	window.addEventListener("afterprint", function () {
		folded.forEach(function (details) { details.open = false; });
	});
})();
