/** Machines that divide one list of chapters, of which one is killed. */
import { describeWith } from '../support/requirements.js';
import { SharedBatch } from '../support/shared-batch.js';

/** The number of one machine. */
const MAX_CHAPTERS_IN_FLIGHT = 8;

describeWith('machines with one share', { programs: ['redis-server'] }, () => {
  test('take over the chapters of one that was killed', async () => {
    const batch = await SharedBatch.start(30);
    try {
      const victim = batch.run(0);
      let seen = '';
      await new Promise<void>((started) => {
        victim.child.stdout.on('data', (text: string) => {
          seen += text;
          if (seen.includes('chapter-saved')) started();
        });
      });
      victim.child.kill('SIGKILL');
      const machines = [1, 2, 3];
      const ends = await Promise.all(machines.map((machine) => batch.run(machine).finished));
      expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
      const saved = [0, ...machines].flatMap((machine) => batch.saved(machine));
      expect([...new Set(saved)].sort()).toEqual(batch.ids.map((id) => `${id}.cbz`).sort());
      // What the victim had under way is loaded again, even if it was just written.
      expect(saved.length).toBeLessThanOrEqual(batch.ids.length + MAX_CHAPTERS_IN_FLIGHT);
      expect(batch.service.violations()).toEqual([]);
    } finally {
      await batch.stop();
    }
  });
});
