// SPDX-License-Identifier: BSD-2-Clause
// What the page of vspe report --html can do where scripts run: sort its tables and search them. It reads the tables
// that are there, and loads nothing. tools/page.py puts it in the page.
"use strict";
(() => {
	// What a cell sorts by: "-" is no value, and stands last either way.
	const value = (cell) => {
		const text = cell.textContent;
		if (!cell.classList.contains("n"))
			return text;
		return text === "-" ? null : text.startsWith("0x") ? BigInt(text) : Number(text);
	};

	const order = (one, other, sign) => {
		if (one === null || other === null)
			return (one === null) - (other === null);
		return sign * (one < other ? -1 : one > other ? 1 : 0);
	};

	// The rows in the order of a column; sign 0 is that of the file. Rows that are equal stay in that one too.
	const arrange = (table, column, sign) => {
		const rows = table.own.map((row, at) => ({row, at, key: value(row.cells[column])}));
		if (sign)
			rows.sort((a, b) => order(a.key, b.key, sign) || a.at - b.at);
		table.tBodies[0].append(...rows.map((entry) => entry.row));
	};

	// A heading goes from one direction to the other, and back to the order of the file. The larger number comes first.
	const press = (table, head) => {
		const turns = head.classList.contains("n") ? ["descending", "ascending", ""] : ["ascending", "descending", ""];
		const next = turns[(turns.indexOf(head.getAttribute("aria-sort") || "") + 1) % 3];
		for (const other of head.parentNode.cells)
			other.removeAttribute("aria-sort");
		if (next)
			head.setAttribute("aria-sort", next);
		arrange(table, head.cellIndex, {ascending: 1, descending: -1}[next] || 0);
	};

	const tables = [...document.querySelectorAll("table")];
	for (const table of tables) {
		table.own = [...table.tBodies[0].rows];
		table.said = table.caption.lastChild.data;
		for (const head of table.tHead.rows[0].cells) {
			if (table.own[0].cells[head.cellIndex].classList.contains("cells"))
				continue;
			const button = document.createElement("button");
			button.type = "button";
			button.append(...head.childNodes);
			button.addEventListener("click", () => press(table, head));
			head.append(button);
		}
	}

	const find = document.getElementById("find"), found = document.getElementById("found");

	// Rows that have every word; sections without one go, and marks of other rows are faint.
	const search = () => {
		const words = find.value.toLowerCase().split(/\s+/).filter((word) => word);
		let rows = 0, shown = 0;
		for (const section of document.querySelectorAll("section")) {
			const table = section.querySelector("table"), own = table ? table.own : [];
			let some = 0;
			own.forEach((row, at) => {
				const text = row.textContent.toLowerCase();
				const has = words.every((word) => text.includes(word));
				row.hidden = !has;
				some += has;
				for (const mark of section.querySelectorAll(`[data-row="${at}"]`))
					mark.classList.toggle("off", !has);
			});
			if (table)
				table.caption.lastChild.data = words.length ? `${some} of ${table.said}` : table.said;
			section.hidden = words.length > 0 && !some;
			document.querySelector(`nav a[href="#${section.id}"]`).parentNode.hidden = section.hidden;
			rows += some;
			shown += some > 0;
		}
		found.textContent = words.length ? `${rows} row${rows === 1 ? "" : "s"} in ${shown} table${shown === 1 ? "" : "s"}` : "";
	};

	find.addEventListener("input", search);
	document.addEventListener("keydown", (event) => {
		if (event.key === "/" && event.target !== find && !event.ctrlKey && !event.metaKey && !event.altKey) {
			event.preventDefault();
			find.focus();
		}
	});
	document.getElementById("search").hidden = false;
	// A browser that went back has kept what was in it.
	search();
})();
