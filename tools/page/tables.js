// SPDX-License-Identifier: MIT
// The other half of the page's script: tables that sort and filter, and what is folded
// on paper.
(function () {
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

	function filter(table, region, tree) {
		var line = make("div", null, { className: "find" }), input, count;
		var rows = Array.from(table.tBodies[0].rows);

		input = make("input", make("label", line, { textContent: "Filter " }),
			{ type: "search" });
		count = make("output", line, { className: "soft" });
		input.addEventListener("input", function () {
			var word = input.value.toLowerCase(), left = 0;

			rows.forEach(function (row) {
				row.hidden = row.textContent.toLowerCase().indexOf(word) < 0;
				left += !row.hidden;
			});
			if (tree)
				showAbove(rows);
			count.textContent = word ? left + " of " + rows.length + " rows" : "";
		});
		region.parentNode.insertBefore(line, region);
	}

	function enrich(table) {
		var region = table.closest(".scroll"), tree = table.closest(".tree");

		if (!region || !table.tHead || table.tBodies[0].rows.length < 3)
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
		if (table.tBodies[0].rows.length > 10)
			filter(table, region, tree);
	}

	document.querySelectorAll("table").forEach(enrich);
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
