/**
 * The same chapters for programs that take a base URL apart: they are asked for under `/plain`, and their base
 * URL holds nothing that could be written another way. (gallery-dl's HTTP library writes the escape `%3d` of an
 * ordinary base URL as `%3D`, which is another address, and gets a 403.)
 */
import {
  jsonResponse,
  errorResponse,
  type EndpointResponse,
} from '../../src/practice-server/endpoint.js';
import type { LibraryChapter } from '../../src/practice-server/records.js';
import type { PracticeService } from '../../src/practice-server/practice-service.js';

export const PLAIN_PATH = '/plain';

const TITLE_ID = 'f7cbb0ac-2f0c-4d0f-9a3e-0d8c5a3f1b11';

export function servePlainly(
  service: PracticeService,
  chapters: readonly LibraryChapter[],
  nodeOrigin: string,
): void {
  const ending = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
  const found = (path: string) => chapters.find(({ id }) => id === ending(path));
  const missing = errorResponse(404, { title: 'not_found_http_exception', detail: 'Not here' });
  service.intercept(`${PLAIN_PATH}/at-home/server/`, ({ path }): EndpointResponse => {
    const chapter = found(path);
    if (!chapter) return missing;
    const data = chapter.pages('data').map(({ fileName }) => fileName);
    const { hash } = chapter;
    const baseUrl = `${nodeOrigin}${PLAIN_PATH}`;
    return jsonResponse(200, { result: 'ok', baseUrl, chapter: { hash, data, dataSaver: data } });
  });
  service.intercept(`${PLAIN_PATH}/chapter/`, ({ path }): EndpointResponse => {
    const chapter = found(path);
    if (!chapter) return missing;
    const { id, attributes } = chapter;
    const relationships = [{ id: TITLE_ID, type: 'manga' }];
    return jsonResponse(200, {
      result: 'ok',
      data: { id, type: 'chapter', attributes, relationships },
    });
  });
  service.intercept(`${PLAIN_PATH}/manga/`, (): EndpointResponse => {
    const attributes = { title: { en: 'Measured' } };
    const data = { id: TITLE_ID, type: 'manga', attributes, relationships: [] };
    return jsonResponse(200, { result: 'ok', data });
  });
  service.intercept(
    `${PLAIN_PATH}/data/`,
    ({ path }): EndpointResponse => {
      const [hash, fileName] = path.split('/').slice(-2);
      const page = chapters
        .find((chapter) => chapter.hash === hash)
        ?.pages('data')
        .find((one) => one.fileName === fileName);
      if (!page) return missing;
      return { status: 200, headers: { 'Content-Type': page.mediaType }, body: page.bytes() };
    },
    'node',
  );
}
