/** Exports of MyAnimeList, in the form of `panel.php?go=export`. */
export interface ExportedManga {
  readonly malId: string;
  readonly name: string;
  readonly status?: string;
}

export function myAnimeListExport(listed: readonly ExportedManga[]): string {
  const entries = listed.map(
    ({ malId, name, status = 'Reading' }) => `
	<manga>
		<manga_mangadb_id>${malId}</manga_mangadb_id>
		<manga_title><![CDATA[${name}]]></manga_title>
		<manga_volumes>0</manga_volumes>
		<manga_chapters>0</manga_chapters>
		<my_id>0</my_id>
		<my_read_volumes>0</my_read_volumes>
		<my_read_chapters>12</my_read_chapters>
		<my_start_date>0000-00-00</my_start_date>
		<my_score>0</my_score>
		<my_status>${status}</my_status>
		<my_comments><![CDATA[]]></my_comments>
		<my_times_read>0</my_times_read>
		<my_tags><![CDATA[]]></my_tags>
		<update_on_import>0</update_on_import>
	</manga>`,
  );
  return `<?xml version="1.0" encoding="UTF-8" ?>
<!--
 Created by XML Export feature at MyAnimeList.net
-->
<myanimelist>
	<myinfo>
		<user_id>1</user_id>
		<user_name>reader</user_name>
		<user_export_type>2</user_export_type>
		<user_total_manga>${listed.length}</user_total_manga>
	</myinfo>
${entries.join('\n')}
</myanimelist>
`;
}
