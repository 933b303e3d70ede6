// Loaded before a program: for it, the wall clock is an hour ahead.
const now = Date.now;
Date.now = () => now() + 3_600_000;
