/** Files that get each other's names: each is renamed when its new name is free. */
import fc from 'fast-check';
import { orderRenames } from '../../../src/download/save/rename-order.js';

const rename = (from: number, to: number) => ({ from: String(from), to: String(to) });

test('a ring has one file that makes way, and the others follow it', () => {
  const [one, two, three] = [rename(1, 2), rename(2, 3), rename(3, 1)];
  expect(orderRenames([one, two, three])).toEqual({ parked: [one], ordered: [three, two] });
});

test('a chain begins at its free end, and a file that keeps its name stays where it is', () => {
  const [one, two, kept] = [rename(1, 2), rename(2, 3), rename(9, 9)];
  expect(orderRenames([one, two, kept])).toEqual({ parked: [], ordered: [two, one, kept] });
});

test('for any renames, no file is renamed before the one that has its new name has left it', () => {
  const places = fc.uniqueArray(fc.nat(30), { maxLength: 20 });
  const renames = places.chain((froms) =>
    fc.tuple(...froms.map((from) => fc.nat(30).map((to) => rename(from, to)))),
  );
  fc.assert(
    fc.property(renames, (all) => {
      const { parked, ordered } = orderRenames(all);
      expect(new Set([...parked, ...ordered])).toEqual(new Set(all));
      expect(parked.length + ordered.length).toBe(all.length);
      const occupied = new Set(all.map(({ from }) => from));
      for (const { from } of parked) occupied.delete(from);
      const taken = new Set<string>();
      for (const { from, to } of [...ordered, ...parked]) {
        // Only a file that keeps its name, or has just got it, may be in the way.
        const stays = all.some((other) => other.from === to && other.to === to);
        if (from !== to && !stays) expect(occupied.has(to) && !taken.has(to)).toBe(false);
        occupied.delete(from);
        occupied.add(to);
        taken.add(to);
      }
    }),
  );
});
