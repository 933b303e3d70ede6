/** The look of the page of an overview: each state of a chapter has a shape of its own, not only a color. */
export const OVERVIEW_STYLE = `
:root { --page: #f7f5f1; --card: #ffffff; --ink: #1f2328; --quiet: #5c6168; --line: #dedad2; --here: #2f62a8; --due: #b4500b; --gone: #b8383a; --rest: #767b82; }
@media (prefers-color-scheme: dark) { :root { --page: #14161a; --card: #1d2025; --ink: #e8e6e1; --quiet: #a0a6ae; --line: #363a41; --here: #6d9fe6; --due: #f0a04b; --gone: #ee7a78; --rest: #868c95; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.45 system-ui, sans-serif; }
main { max-width: 64rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.7rem; margin: 0; } h2 { font-size: 1.2rem; margin: 0; } h3 { font-size: 1.05rem; line-height: 1.3; margin: 0; }
p { margin: .2rem 0 .75rem; } ul { list-style: none; margin: 0; padding: 0; }
a { color: inherit; text-decoration-color: var(--rest); text-underline-offset: .15em; } a:hover { text-decoration-color: currentColor; }
:focus-visible { outline: 3px solid var(--here); outline-offset: 2px; border-radius: .2rem; }
.quiet { color: var(--quiet); font-size: .9rem; } .count { color: var(--quiet); font-weight: 400; font-variant-numeric: tabular-nums; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; margin: 0 0 .75rem; }
section { margin: 2rem 0 0; } section.card { margin: 1.25rem 0 0; } h2 + .quiet { margin-bottom: .75rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.75rem, 1fr)); gap: .6rem; margin: 1.25rem 0; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .6rem .9rem; display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.tile dt { color: var(--quiet); font-size: .85rem; } .tile dd { margin: 0; font-size: 1.5rem; font-variant-numeric: tabular-nums; }
nav ul { display: flex; flex-wrap: wrap; gap: .5rem; }
nav a { display: block; padding: .45rem .8rem; background: var(--card); border: 1px solid var(--line); border-radius: 2rem; text-decoration: none; } nav a:hover { border-color: var(--rest); }
pre { margin: .6rem 0 0; padding: .7rem .8rem; background: var(--page); border-radius: .4rem; overflow-x: auto; font-size: .85rem; }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; } pre code { overflow-wrap: normal; white-space: pre; }
.legend { margin-top: 1.25rem; } .legend ul { display: flex; flex-wrap: wrap; gap: .35rem 1.1rem; font-size: .9rem; }
.legend li { display: flex; align-items: center; gap: .45rem; }
.title { display: grid; grid-template-columns: 5.5rem minmax(0, 1fr); gap: 0 1rem; break-inside: avoid; }
.title h3 a { overflow-wrap: anywhere; text-decoration: none; } .title h3 a:hover { text-decoration: underline; }
.date { white-space: nowrap; } .title .quiet span + span::before { content: "· "; }
.cover { width: 5.5rem; height: 8rem; border-radius: .35rem; object-fit: cover; background: var(--page); border: 1px solid var(--line); }
div.cover { display: grid; place-items: center; color: var(--quiet); font-size: 2rem; }
.strips { max-width: calc(var(--total) * 2rem); min-width: 4rem; }
.strip { display: flex; height: 1.5rem; gap: 1px; overflow: hidden; }
.strip i { flex: var(--n) 1 0; position: relative; } .widened i { min-width: .35rem; }
.separated i::after { content: ""; position: absolute; inset: 0; background: linear-gradient(to left, var(--card) 1px, transparent 1px) 0 0 / calc(100% / var(--n)) 100%; }
.ends { display: flex; justify-content: space-between; color: var(--quiet); font-size: .75rem; font-variant-numeric: tabular-nums; }
i.present { background: var(--here); }
i.taken-down { background: repeating-linear-gradient(-45deg, var(--gone) 0 3px, var(--card) 3px 5px); box-shadow: inset 0 0 0 2px var(--gone); }
i.removed { box-shadow: inset 0 0 0 1px var(--here); }
i.left-out { background: linear-gradient(to top right, transparent calc(50% - 1px), var(--rest) 0 calc(50% + 1px), transparent 0); box-shadow: inset 0 0 0 1px var(--rest); }
i.not-downloaded { box-shadow: inset 0 0 0 2px var(--due); }
i.other-language { background: repeating-linear-gradient(45deg, var(--rest) 0 1px, transparent 1px 5px); box-shadow: inset 0 0 0 1px var(--rest); }
i.external { background: radial-gradient(var(--rest) 1.5px, transparent 2px) center / 6px 6px; box-shadow: inset 0 0 0 1px var(--rest); }
i.unavailable { background: linear-gradient(transparent 40%, var(--rest) 40% 60%, transparent 60%); }
i.not-uploaded { background: linear-gradient(transparent calc(100% - 2px), var(--rest) 0); }
.swatch { display: inline-block; flex: none; width: 1.5rem; height: 1rem; }
.reasons { margin-top: .35rem; font-size: .9rem; } .reasons li { display: flex; gap: .5rem; align-items: baseline; } .reasons .swatch { position: relative; top: .15rem; }
.reasons b { font-weight: 600; overflow-wrap: anywhere; }
details { margin-top: .5rem; font-size: .9rem; } summary { cursor: pointer; color: var(--quiet); } details ul { padding-left: 1rem; }
@media (max-width: 36rem) { main { padding: 1rem .75rem 3rem; } .card { padding: .75rem; } .title { grid-template-columns: 3.5rem minmax(0, 1fr); gap: 0 .75rem; } .cover { width: 3.5rem; height: 5rem; } .tiles { grid-template-columns: 1fr 1fr; } .tile:last-child:nth-child(odd) { grid-column: 1 / -1; } }
@media print { :root { --page: #ffffff; --card: #ffffff; --ink: #000000; --quiet: #444444; --line: #bbbbbb; --here: #2f62a8; --due: #b4500b; --gone: #b8383a; --rest: #767b82; } * { print-color-adjust: exact; } nav { display: none; } main { padding: 0; max-width: none; } pre code { white-space: pre-wrap; overflow-wrap: anywhere; } details::details-content { display: block; content-visibility: visible; height: auto; } }
@media (forced-colors: active) { .strip i, .swatch { forced-color-adjust: none; } }
`;
