/* SPDX-License-Identifier: MIT */
/*
 * flame_page.c - see flame_page.h.
 *
 * Frames are svg elements in an svg element, at shares of its width: so they
 * fit any window and cut their text without a script. The script moves them to
 * zoom, and marks those whose names have a word. There are no style attributes,
 * which the page's policy forbids.
 */
#include "tools/export/flame_page.h"

/* clang-format off */
const char flame_style[] =
	"\n"
	"body { font: 13px sans-serif; margin: 1em; color: #222; background: #fff }\n"
	"#graph { font: 11px monospace; width: 100%; display: block }\n"
	"#graph svg { cursor: pointer }\n"
	"rect { stroke: #fff; stroke-width: .5px }\n"
	"text { fill: #111; pointer-events: none }\n"
	".c0 rect { fill: #f4a261 } .c1 rect { fill: #f6b26b }\n"
	".c2 rect { fill: #e9c46a } .c3 rect { fill: #f28e5b }\n"
	".c4 rect { fill: #eeb56f } .c5 rect { fill: #f1c27d }\n"
	".hit rect { fill: #a06ee0 } svg:hover > rect { stroke: #222 }\n"
	"table { border-collapse: collapse; font: 12px monospace }\n"
	"td, th { padding: 1px 8px; text-align: right }\n"
	"td:last-child, th:last-child { text-align: left; overflow-wrap: anywhere }\n";

const char flame_style_hash[] =
	"sha256-xXDvYCMd49H90BkYrNm8AbclpYNXdP6mVXEjUwTNIiA=";

const char flame_script[] =
	"\n"
	"\"use strict\";\n"
	"(function () {\n"
	"\tvar graph = document.getElementById(\"graph\");\n"
	"\tvar boxes = Array.prototype.slice.call(graph.querySelectorAll(\"svg\"));\n"
	"\tvar find = document.getElementById(\"find\");\n"
	"\tvar found = document.getElementById(\"found\");\n"
	"\tvar whole = document.getElementById(\"whole\");\n"
	"\tvar spans = boxes.map(function (box) {\n"
	"\t\treturn [parseFloat(box.getAttribute(\"x\")),\n"
	"\t\t\tparseFloat(box.getAttribute(\"width\"))];\n"
	"\t});\n"
	"\n"
	"\tfunction show(from, size) {\n"
	"\t\tboxes.forEach(function (box, i) {\n"
	"\t\t\tvar left = Math.max(spans[i][0], from);\n"
	"\t\t\tvar right = Math.min(spans[i][0] + spans[i][1],\n"
	"\t\t\t\tfrom + size);\n"
	"\t\t\tvar gone = right - left <= size * 1e-9;\n"
	"\t\t\tbox.setAttribute(\"display\", gone ? \"none\" : \"inline\");\n"
	"\t\t\tif (gone)\n"
	"\t\t\t\treturn;\n"
	"\t\t\tbox.setAttribute(\"x\", (left - from) * 100 / size + \"%\");\n"
	"\t\t\tbox.setAttribute(\"width\",\n"
	"\t\t\t\t(right - left) * 100 / size + \"%\");\n"
	"\t\t});\n"
	"\t\twhole.disabled = size > 99.999999;\n"
	"\t}\n"
	"\n"
	"\tfunction zoom(box) {\n"
	"\t\tvar i = boxes.indexOf(box);\n"
	"\t\tif (i >= 0)\n"
	"\t\t\tshow(spans[i][0], spans[i][1]);\n"
	"\t}\n"
	"\n"
	"\tfunction mark() {\n"
	"\t\tvar word = find.value.toLowerCase(), hits = [], sum = 0, end = 0;\n"
	"\t\tboxes.forEach(function (box, i) {\n"
	"\t\t\tvar name = box.querySelector(\"text\").textContent;\n"
	"\t\t\tvar hit = word !== \"\" &&\n"
	"\t\t\t\tname.toLowerCase().indexOf(word) >= 0;\n"
	"\t\t\tbox.classList.toggle(\"hit\", hit);\n"
	"\t\t\tif (hit)\n"
	"\t\t\t\thits.push(spans[i]);\n"
	"\t\t});\n"
	"\t\thits.sort(function (a, b) { return a[0] - b[0] || b[1] - a[1]; });\n"
	"\t\thits.forEach(function (span) {\n"
	"\t\t\tvar left = Math.max(span[0], end);\n"
	"\t\t\tsum += Math.max(0, span[0] + span[1] - left);\n"
	"\t\t\tend = Math.max(end, span[0] + span[1]);\n"
	"\t\t});\n"
	"\t\tfound.textContent = word === \"\" ? \"\" :\n"
	"\t\t\thits.length + \" frames, \" + sum.toFixed(2) + \" %\";\n"
	"\t}\n"
	"\n"
	"\tgraph.addEventListener(\"click\", function (event) {\n"
	"\t\tzoom(event.target.closest(\"#graph svg\"));\n"
	"\t});\n"
	"\tgraph.addEventListener(\"keydown\", function (event) {\n"
	"\t\tif (event.key === \"Enter\")\n"
	"\t\t\tzoom(event.target.closest(\"#graph svg\"));\n"
	"\t});\n"
	"\tdocument.addEventListener(\"keydown\", function (event) {\n"
	"\t\tif (event.key === \"Escape\")\n"
	"\t\t\tshow(0, 100);\n"
	"\t});\n"
	"\twhole.addEventListener(\"click\", function () { show(0, 100); });\n"
	"\tfind.addEventListener(\"input\", mark);\n"
	"\tboxes.forEach(function (box) { box.setAttribute(\"tabindex\", \"0\"); });\n"
	"\tdocument.getElementById(\"tools\").hidden = false;\n"
	"\twhole.disabled = true;\n"
	"})();\n";

const char flame_script_hash[] =
	"sha256-CtZhJic2LKrC11EmiAnBmuY7LZlEJZPcsvfFex9oyjM=";
/* clang-format on */
