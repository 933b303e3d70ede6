// Binds the chapters of a folder, and removes their files when a book has them, as `download --bind` does.
const job = JSON.parse(process.argv[2]);
const load = (module) => import(`${job.modules}/${module}.js`);

const { bindRequest } = await load('books/bind-request');
const { loadSettings } = await load('config/settings');
const { bindBooks } = await load('books/bind-books');
const { listArchives } = await load('library/scan');

const request = {
  ...bindRequest(
    [],
    {
      ...(await loadSettings({}, job.output)),
      output: job.output,
      format: job.format,
    },
    Date.now(),
  ),
  found: (await listArchives(job.input)).files,
  removeChapters: true,
};
const { errors } = await bindBooks(
  request,
  () => undefined,
  new globalThis.AbortController().signal,
);
for (const { message } of errors) process.stderr.write(`${message}\n`);
process.exitCode = errors.length > 0 ? 1 : 0;
