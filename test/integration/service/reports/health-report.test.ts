import fc from 'fast-check';
import { healthReportSchema } from '../../../../src/service/reports/health-report.js';
import { reportNo } from '../../../support/report-listener.js';

describe('a health report', () => {
  test.each([
    { url: '/data/1.png' },
    { url: 'node.example/1.png' },
    { url: 'ftp://a.example/1.png' },
    { bytes: -1 },
    { bytes: 1.5 },
    { duration: Number.NaN },
    { duration: '12' },
    { success: 1 },
    { cached: undefined },
  ])('with %p is invalid', (wrong) => {
    expect(healthReportSchema.safeParse({ ...reportNo(1), ...wrong }).success).toBe(false);
  });

  test('is read with exactly the five fields', () => {
    const more = { ...reportNo(1), token: 'secret' };
    expect(Object.keys(healthReportSchema.parse(more)).sort()).toEqual(
      ['bytes', 'cached', 'duration', 'success', 'url'].sort(),
    );
  });

  test('is validated without an exception, whatever the value', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        healthReportSchema.safeParse(value);
      }),
    );
  });
});
