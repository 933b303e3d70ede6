/** Figures as people read them. */

const STEPS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Bytes in decimal steps: `512 B`, `3.4 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let step = 0;
  while (value >= 999.5 && step < STEPS.length - 1) {
    value /= 1000;
    step += 1;
  }
  const digits = step === 0 || value >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${STEPS[step] ?? 'B'}`;
}

/** Seconds as `45 s`, `3 min 20 s`, `2 h 05 min`. */
export function formatTime(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  const minutes = Math.floor((whole % 3600) / 60);
  return `${Math.floor(whole / 3600)} h ${String(minutes).padStart(2, '0')} min`;
}

export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
