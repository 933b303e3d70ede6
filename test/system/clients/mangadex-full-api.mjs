/** Uses the package as its documentation shows, against the hosts of the environment, and prints what it got as JSON. */
import { createHash } from 'node:crypto';
import {
  Author,
  Cover,
  Group,
  Manga,
  overrideApiOrigin,
  overrideAuthOrigin,
  PersonalAuthClient,
  Tag,
  User,
} from 'mangadex-full-api';

overrideApiOrigin(process.env.API_URL);
overrideAuthOrigin(process.env.AUTH_URL);

const [manga] = await Manga.search({ title: 'endless stairs', limit: 5 });
const feed = await manga.getFeed({ translatedLanguage: ['en'], order: { chapter: 'asc' } });
const pages = {};
for (const chapter of feed) {
  pages[chapter.id] = [];
  for (const url of await chapter.getReadablePages()) {
    const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
    pages[chapter.id].push(createHash('sha256').update(bytes).digest('hex'));
  }
}

const latest = await manga.latestUploadedChapter.resolve();
const looked = {
  author: (await Author.get(manga.authors[0].id)).name,
  group: (await Group.get(feed[0].groups[0].id)).name,
  cover: (await Cover.get(manga.mainCover.id)).volume,
  tags: (await Tag.getAllTags()).map((tag) => tag.localName),
  random: (await Manga.getRandom()).id,
  follows: (await manga.getStatistics()).follows,
  aggregate: Object.keys(await manga.getAggregate()),
  latest: latest.id,
};

const client = await PersonalAuthClient.login(JSON.parse(process.env.LOGIN));
const me = (await User.getLoggedInUser()).username;
// The access token seems to have expired: the next call refreshes it and checks it with /auth/check.
client.data.accessExpiration = 0;
const followed = (await Manga.getFollowedManga()).length;

console.log(JSON.stringify({ manga: manga.id, pages, looked, me, followed }));
