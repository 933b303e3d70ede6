/** Validation against the published schema of ComicInfo.xml. */
import { readFileSync } from 'node:fs';
import { validateXML } from 'xmllint-wasm';

const SCHEMA = {
  fileName: 'ComicInfo.xsd',
  contents: readFileSync('test/fixtures/comicinfo/ComicInfo-2.1.xsd', 'utf8'),
};

/** What is wrong with these documents, a line each; empty where all are valid. */
export async function schemaErrors(documents: readonly string[]): Promise<string[]> {
  const xml = documents.map((contents, index) => ({ fileName: `${index}.xml`, contents }));
  const { errors } = await validateXML({ xml, schema: SCHEMA });
  return errors.map(({ rawMessage }) => rawMessage);
}
