# SPDX-License-Identifier: MIT
"""Of page-browser: what it does with the tables of a page, on the screen and on paper.
A browser is its Browser; check(what, holds) takes a result."""
import json
import os


def hear_filters(browser, check):
    """Who hears the page can tell what is searched by which field."""
    fields = "document.querySelectorAll('main > section > .find input, figure input')"
    names = [heard(browser, fields + "[%d]" % i)
             for i in range(browser.run(fields + ".length"))]
    check("names of filters: %s" % names,
          names and len(names) == len(set(names)) and all(
              name.startswith(("Filter: ", "Find: ")) for name in names))


def use_table(browser, check):
    run = browser.run
    table = "document.querySelector('#classes table')"
    cell = table + ".tBodies[0].rows[0].cells[%d]"
    if not run("!!" + table + " && " + table + ".tBodies[0].rows.length > 10"):
        return
    hear_filters(browser, check)
    run(table + ".tHead.rows[0].cells[1].firstChild.click()")
    check("sorting by objects: the most first",
          run("Array.from(" + table + ".tBodies[0].rows).every((r, i, a) => !i"
              " || +a[i - 1].cells[1].dataset.v >= +r.cells[1].dataset.v)"))
    check("the head says so", run(
        table + ".tHead.rows[0].cells[1].getAttribute('aria-sort')") ==
        "descending")
    check("it is seen, too", "\u2193" in run(
        "getComputedStyle(" + table + ".tHead.rows[0].cells[1].firstChild, "
        "'::after').content"))
    name = run((cell % 0) + ".textContent")
    find = "document.querySelector('#classes .find input')"
    run("{ const f = " + find + "; f.value = " + json.dumps(name) +
        "; f.dispatchEvent(new Event('input')) }")
    left = run("Array.from(" + table + ".tBodies[0].rows)"
               ".filter(r => !r.hidden).length")
    total = run(table + ".tBodies[0].rows.length")
    check("the filter leaves some rows", 0 < left < total)
    run("{ const f = " + find + "; f.value = ''"
        "; f.dispatchEvent(new Event('input')) }")


def look_at_lead(browser, check, width):
    """Who holds the memory is on the first screen, and links lead to the rest."""
    if not browser.run("!!document.querySelector('#suspect-1, #growth-1') && "
                       "!!document.querySelector('#overview, #growth')"):
        return
    check("the lead is on the first screen at %d pixels" % width, browser.run("""(() => {
        const link = document.querySelector('.lead a');
        const table = document.querySelector('table');
        const top = e => e.getBoundingClientRect().top + scrollY;
        return link && top(link) < 844 && top(link) < top(table);
    })()"""))
    check("the lead says what its links lead to", browser.run(
        "Array.from(document.querySelectorAll('.lead li a')).every(a => a.textContent "
        "=== document.querySelector(a.getAttribute('href')).textContent)"))


# Of a narrow screen: tables of which something is not on it, and heads of rows that do
# not have their line for themselves.
NARROW = """Array.from(document.querySelectorAll(".scroll")).filter(region =>
    region.getClientRects().length && (region.scrollWidth > region.clientWidth + 1 ||
    Array.from(region.querySelectorAll("tbody th, td[data-l]")).some(cell => {
        const row = cell.parentNode.getBoundingClientRect();
        const box = cell.getBoundingClientRect();
        return box.height && box.width < row.width - 2;
    }))).map(region => region.querySelector("caption").textContent.slice(0, 80))"""


def look_at_narrow(browser, check):
    """What is folded away, too."""
    closed = "document.querySelectorAll('details[data-was]')"
    browser.run("document.querySelectorAll('details:not([open])').forEach("
                "d => { d.open = true; d.dataset.was = '' })")
    found = browser.run(NARROW)
    check("tables that do not fit a narrow screen: %s" % found[:5], not found)
    browser.run(closed + ".forEach(d => { d.open = false; delete d.dataset.was })")


def use_folds(browser, check):
    """A long table is cut; a button and a search by the browser show all of it."""
    run = browser.run
    long_ones = ("Array.from(document.querySelectorAll('main > section > .scroll'))"
                 ".filter(s => s.querySelectorAll('tbody tr').length > 25)")
    for i in range(run(long_ones + ".length")):
        region = long_ones + "[%d]" % i
        button = region + ".nextSibling.querySelector('button')"
        cut = "(" + region + ".scrollHeight > " + region + ".clientHeight + 1)"
        check("a long table is cut", run(cut))
        check("it is not longer than a screen", run(region + ".clientHeight < 800"))
        browser.press(button)
        check("the button shows all", not run(cut))
        check("it says so", run(button + ".getAttribute('aria-expanded')") == "true")
        browser.press(button)
        check("the button cuts it again", run(cut))
        # As a search by the browser scrolls.
        last = region + ".querySelector('tbody tr:last-child')"
        run(last + ".scrollIntoView()")
        run("new Promise(f => requestAnimationFrame(() => requestAnimationFrame(f)))")
        check("what is found is shown", not run(cut) and run(
            "{ const r = " + last + ".getBoundingClientRect();"
            " r.top > -1 && r.top < innerHeight }"))
        browser.press(button)


def use_threads(browser, check):
    """Threads are found by a frame of their stacks."""
    run = browser.run
    threads = "Array.from(document.querySelectorAll('#threads > details'))"
    find = "document.querySelector('#threads > .find input')"
    if run(threads + ".length") <= 10:
        check("a filter of few threads", not run("!!" + find))
        return
    frame = run(threads + ".map(d => d.querySelector('pre').textContent)"
                ".join('').match(/at \\S+/)[0]")
    find_word(browser, find, frame)
    check("threads with a frame are shown, others are not: " + frame, run(
        threads + ".every(d => d.hidden !== d.textContent.includes(" +
        json.dumps(frame) + "))") and run(threads + ".some(d => !d.hidden)"))
    find_word(browser, find, "")
    check("all threads are back", run(threads + ".every(d => !d.hidden)"))


# Of a tree: whether each row that is shown has those above it shown, too.
ABOVE = """(table => {
    const level = r => /^\u00b7*/.exec(r.cells[0].textContent)[0].length;
    const rows = Array.from(table.tBodies[0].rows);
    return rows.every((row, i) => {
        let next = level(row);
        for (let k = i; !row.hidden && next && k--;)
            if (level(rows[k]) < next) {
                if (rows[k].hidden)
                    return false;
                next = level(rows[k]);
            }
        return row.hidden || !next;
    });
})"""


# What one sees of the names of rows, without the dots.
SEEN = """(rows => rows.map(row => Array.from(row.cells[0].childNodes).
    filter(n => n.nodeType === Node.TEXT_NODE).map(n => n.data).join("")))"""


def find_word(browser, find, word):
    browser.run("{ const f = " + find + "; f.value = " + json.dumps(word) +
                "; f.dispatchEvent(new Event('input')) }")


def heard(browser, element):
    """What a screen reader says of an element."""
    made = browser.call("Runtime.evaluate", expression=element)
    nodes = browser.call("Accessibility.getPartialAXTree",
                         objectId=made["result"]["objectId"],
                         fetchRelatives=False)["nodes"]
    return nodes[0]["name"]["value"]


def use_levels(browser, table, check):
    """In which level a row is, is seen by dots and heard as a number."""
    cell = table + ".tBodies[0].rows[%d].cells[0]"
    if browser.run("!!" + table + ".querySelector('td[colspan]')"):
        return  # it has no rows, and says so
    levels = browser.run("Array.from(" + table + ".tBodies[0].rows).map(r => "
                         "/^\u00b7*/.exec(r.cells[0].textContent)[0].length)")
    for i, level in enumerate(levels):
        name = heard(browser, cell % i)
        check("the level is heard, and no dots: " + name, name.endswith(
            ", level %d" % (level + 1)) and (not level or name[0] != "\u00b7"))


def use_trees(browser, check):
    """Rows stay below those that they belong to, whatever is looked for."""
    run = browser.run
    trees = "document.querySelectorAll('.tree table')"
    check("each way to see the tree has its table", run(
        "!document.querySelector('#tree') || " + trees + ".length === Object.keys("
        "JSON.parse(document.getElementById('data').textContent)).filter("
        "k => ['class', 'object', 'package', 'loader'].includes(k)).length"))
    for i in range(run(trees + ".length")):
        table = trees + "[%d]" % i
        rows = "Array.from(" + table + ".tBodies[0].rows)"
        check("a tree is not sorted", not run(
            table + ".tHead.querySelectorAll('button').length"))
        check("each row has one above it", run(ABOVE + "(" + table + ")"))
        use_levels(browser, table, check)
        find = table + ".closest('.tree').querySelector('.find input')"
        if not run("!!" + find):
            continue
        seen = run(SEEN + "(" + rows + ")")
        find_word(browser, find, seen[-1])
        check("the filter finds the last row", not run(
            rows + ".pop().hidden"))
        check("what is above it is shown", run(ABOVE + "(" + table + ")"))
        find_word(browser, find, ", level")
        check("the filter does not find what is only heard", run(
            rows + ".every(r => r.hidden)") or
              any(", level" in name for name in seen))
        find_word(browser, find, "")
        check("all rows are back", run(rows + ".every(r => !r.hidden)"))


def use_bars(browser, check):
    """Each part of a bar says what it is, and the key beside it says the same."""
    for bar in browser.run("""Array.from(document.querySelectorAll("svg.stack")).
            map(bar => [Array.from(bar.querySelectorAll("g")).map(g =>
                            [g.querySelector("title").textContent,
                             g.querySelector("rect").getAttribute("class")]),
                        Array.from(bar.parentNode.querySelectorAll(".keys li")).
                        map(li => [li.textContent,
                            li.querySelector("rect").getAttribute("class")])])"""):
        check("the key of a bar: %s" % bar, bar[0] and bar[0] == bar[1])


# What is folded in the page and not seen on paper, or not where its element is.
FOLDED = """Array.from(document.querySelectorAll("details:not([open])")).filter(d => {
    const last = d.lastElementChild, box = last.getBoundingClientRect();
    return !last.checkVisibility() || !box.height ||
        box.bottom > d.getBoundingClientRect().bottom + 1;
}).map(d => d.firstElementChild.textContent)"""


def unfolded(browser, how, check):
    """Paper shows what is folded, by the style alone: no event is sent here."""
    browser.call("Emulation.setEmulatedMedia", media="print")
    found = browser.run(FOLDED)
    check("folded on paper, %s: %s" % (how, found[:5]), not found)
    browser.call("Emulation.setEmulatedMedia", media="")
    check("on the screen it is folded, " + how, browser.run(
        FOLDED + ".length === document.querySelectorAll("
        "'details:not([open])').length"))


def without_script(browser, page, check):
    """The same tables, and no empty places of pictures."""
    rows = browser.run("document.querySelectorAll('tbody tr').length")
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.call("Page.navigate", url="file://" + os.path.abspath(page))
    browser.wait("Page.loadEventFired")
    check("without script, all rows are there",
          browser.run("document.querySelectorAll('tbody tr').length") == rows)
    check("without script, no place of a picture is shown", browser.run(
        "Array.from(document.querySelectorAll('figure[data-trees]'))"
        ".every(f => !f.getClientRects().length)"))
    unfolded(browser, "without script", check)
    browser.call("Emulation.setScriptExecutionDisabled", value=False)


# Colours of what is on paper.
COLOURS = """JSON.stringify(["body", ".lead", ".warn", "a", "tbody tr:nth-child(even)",
        ".bar", ".bar rect", ".box rect", "polyline", "pre"].map(selector => {
    const e = document.querySelector(selector);
    const style = e && getComputedStyle(e);
    return e && [selector, style.color, style.backgroundColor, style.fill,
                 style.stroke, style.borderLeftColor];
}))"""


def print_colours(browser, check):
    """Paper is light, also from a dark screen, where light ink would not be read."""
    seen = []
    for scheme in "light", "dark":
        browser.call("Emulation.setEmulatedMedia", media="print", features=[
            {"name": "prefers-color-scheme", "value": scheme}])
        seen.append(json.loads(browser.run(COLOURS)))
    check("colours on paper, of a light and a dark screen: %s" % [
        pair for pair in zip(*seen) if pair[0] != pair[1]][:3], seen[0] == seen[1])
    browser.call("Emulation.setEmulatedMedia", media="")


def print_page(browser, check):
    print_colours(browser, check)
    browser.call("Emulation.setEmulatedMedia", media="print")
    check("sums are printed once, below the table", browser.run(
        "Array.from(document.querySelectorAll('tfoot')).every("
        "f => getComputedStyle(f).display === 'table-row-group')"))
    check("pictures are printed on one page", browser.run(
        "Array.from(document.querySelectorAll('figure')).every("
        "f => getComputedStyle(f).breakInside === 'avoid')"))
    check("buttons are not printed", browser.run(
        "Array.from(document.querySelectorAll('.tools, .find, .crumbs'))"
        ".every(e => !e.getClientRects().length)"))
    check("tables do not scroll on paper", browser.run(
        "Array.from(document.querySelectorAll('.scroll'))"
        ".every(e => getComputedStyle(e).overflowX === 'visible')"))
    check("long tables are printed whole", browser.run(
        "Array.from(document.querySelectorAll('.fold')).every("
        "s => s.scrollHeight <= s.clientHeight + 1)"))
    check("something is printed", len(browser.call("Page.printToPDF")["data"])
          > 1000)
    unfolded(browser, "with script", check)
