/** Which machine a temporary file belongs to. */
import { machineMark } from '../../../src/core/temporary-files.js';

test('machines of one name, and namespaces of one machine, have marks of their own', () => {
  const marks = [
    machineMark('nas', 'id-1', 'pid:[1]'),
    machineMark('nas', 'id-2', 'pid:[1]'),
    machineMark('nas', 'id-1', 'pid:[2]'),
  ];
  expect(new Set(marks).size).toBe(3);
  for (const mark of marks) expect(mark).toMatch(/^[0-9a-f]{8}$/);
});
