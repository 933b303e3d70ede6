/**
 * Names of files as other programs' tests and people have them: the folder, the name, what is right for this program, and
 * what is read where the name alone does not say it. `v1 4` is volume 1, chapter 4; `4-8` is a range; `4+` is an extra
 * between 4 and 5. `?5|1` may be 5 or 1, and the pages decide.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import fc from 'fast-check';
import { guessName, type GuessedName } from '../../../src/books/guess-name.js';
import { builtInTemplate, compileNameTemplate } from '../../../src/config/names.js';

type Row =
  | readonly [folder: string, name: string, right: string]
  | readonly [folder: string, name: string, right: string, read: string];

/** Each with the file of its repository that has the names. */
const NAMES: Readonly<Record<string, readonly Row[]>> = {
  'names that people give': [
    ['Endless Stairs', '001', '1'],
    ['Endless Stairs', '1 - Storm', '1'],
    ['Endless Stairs', '[0010.5] The Storm', '10.5'],
    ['Endless Stairs', '010.5 The Storm', '10.5'],
    ['Endless Stairs', 'Chp.1', '1'],
    ['Endless Stairs', 'ch-1', '1'],
    ['Endless Stairs', 'Cap.007', '7'],
    ['Endless Stairs', '第7話', '7'],
    ['Endless Stairs', '7화', '7'],
    ['Endless Stairs', 'ch 7,5', '7.5'],
    ['Endless Stairs', 'Ch.4.a', '4+', '?4'],
    ['Endless Stairs', 'Ch.4.extra', '4+', '?4'],
    ['Endless Stairs', 'ch 122-a', '122+', '?122'],
    ['Endless Stairs', '#1 – 12', '1-12'],
    ['Endless Stairs', '002-004(1999)', '2-4'],
    ['', 'Endless Stairs c01-c04', '1-4'],
    ['', 'Endless_Stairs_ch001-ch004 (v01)', 'v1 1-4'],
    ['', 'Endless Stairs 1~3', '1-3'],
    ['', 'Endless Stairs Chapter 5 & 6', '5-6'],
    ['', 'Endless Stairs c005+006 [Owls]', '5-6'],
    ['', 'Endless Stairs Ch.5 & 7', '5'],
    ['', 'Ch.1+2+3', '1-3'],
    ['', 'Vol.03+04 (Omnibus)', 'v3-4'],
    ['', 'Chapter 4 & 5-6', '', '?4|4-5'],
    ['', 'Endless Stairs 5 & 6', '5-6', '?5|5-6'],
    ['', 'Cage 1 & 2 [Owls]', '', '?1|1-2'],
    ['', 'Room 4+5 - 003', '3'],
    ['', 'Endless Stairs & 2', '2'],
    ['', '5 ~2nd try~', '5'],
    ['', '第1～3話', '1-3'],
    ['', '第10話〜第12話', '10-12'],
    ['', '10화~12화', '10-12'],
    ['', '第3・4話', '3-4'],
    ['', '3&4話', '3-4'],
    ['', '第3＆4話', '3-4'],
    ['', '第1、2話', '1-2'],
    ['', '第1話+2話', '1-2'],
    ['', '第3話、第4話', '3-4'],
    ['', '海 全12話', ''],
    ['', '海 全3巻', ''],
    ['', 'Endless Stairs v01～v03', 'v1-3'],
    ['', 'Endless Stairs v04 & v05', 'v4-5'],
    ['', 'Endless Stairs Vol.1~Vol.3', 'v1-3'],
    ['', 'T01 & T02', 'v1-2'],
    ['', 'Endless Stairs 1巻～3巻', 'v1-3'],
    ['', 'Endless Stairs 1권~3권', 'v1-3'],
    ['', '第6巻～第8巻', 'v6-8'],
    ['', 'ch001～ch004', '1-4'],
    ['', 'Endless Stairs c001+c002', '1-2'],
    ['', '第2期 第3話', '', '?3'],
    ['', 'シーズン2 第3話', '', '?3'],
    ['', 'Endless Stairs 2부 3화', '', '?3'],
    ['', '第1部 第3話', '3'],
    ['', 'Ch. 1-4 & 6', '', '?1|1-4'],
    ['', 'Ch.12 ~13th Night~', '12'],
    ['', '第3話 ~第4の男~', '3'],
    ['Endless Stairs', '07v2', '7'],
    ['Endless Stairs', '[Volume 01] - 0001 - Title', 'v1 1'],
    ['Endless Stairs', 'v1 003', 'v1 3'],
    ['Endless Stairs', 'X-Men, 2021-08-04 (#02)', '2'],
    ['Endless Stairs', 'Tokyo ESP 027: Part 002: Chapter 001', '27', '?1|27'],
    ['Metal Panic', 'metal_panic-9', '9'],
    ['Endless Stairs', 'Chapter 3 part 1', '3+', '?3.1|3'],
    ['Endless Stairs', 'Chapter 3 Pt. 2 - Fog', '3+', '?3.2|3'],
    ['Endless Stairs', 'c003 (1of2)', '3+', '?3.1|3'],
    ['Endless Stairs', 'Endless_Stairs_Chapter_10_5', '10.5', '?10.5|10'],
    ['Endless Stairs', 'Chapter 10_2nd Storm', '10'],
    ['Endless Stairs', 'Endless Stairs 003 (3 of 12)', '3'],
    ['Endless Stairs', 'Endless Stairs 003 (of 12)', '3'],
    ['Endless Stairs', 'Ch. 3 - Part 1', '3'],
    ['Endless Stairs', '[Season 3] Ep. 10', '10', '?10'],
    ['Endless Stairs', '[S1] Ep. 10', '10'],
    ['', '[S2][Owls] Endless Stairs - Chapter 10', '10', '?10'],
    ['Endless Stairs', 'S3 - Chapter 3 part 2', '3+', '?3'],
    ['Endless Stairs', 'Endless Stairs - v6 - 10', 'v6 10', 'v6 ?10'],
    ['Endless Stairs', 'Endless Stairs - v06 - 010', 'v6 10'],
    ['', 'Golgo 13 - 001', '1'],
    ['', 'Mob Psycho 100 - 012', '12'],
    ['Endless Stairs', '0_Chapter 1', '1'],
    ['Endless Stairs', '2023-08-05 Chapter 5', '5'],
    ['Endless Stairs', 'Copy of Chapter 5', '5'],
    ['Endless Stairs', 'Extra Chapter 5', '5+', '?5'],
    ['Endless Stairs', 'Endless Stairs - Side Story Chapter 5', '5+', '?5'],
    ['Endless Stairs', '番外編 第1話', '1+', '?1'],
    ['', 'Special A 005', '5'],
    ['Endless Stairs', 'Chapter 2 (2of2)', '2+', '?2.2|2'],
    ['Endless Stairs', 'Chapter 5 [Part 2]', '5+', '?5.2|5'],
    ['', 'Endless Stairs Volumen 1 Capítulo 5', 'v1 5'],
    ['', 'Endless Stairs T01', 'v1'],
    ['', 'เล่ม 3', 'v3'],
    ['', 'เล่มที่ 3 ตอนที่ 12', 'v3 12'],
    ['', 'Tập 3', 'v3'],
    ['', 'Tập 1 Chương 2', 'v1 2'],
    ['', 'Endless Stairs Kap. 7', '7'],
    ['', 'Endless Stairs Rozdział 5', '5'],
    ['', '第二話', '2'],
    ['', '海第十話 第二の男', '10'],
    ['', '第二巻 第百二十三話', 'v2 123'],
    ['', '第三〇話', '30'],
    ['', '第二の男', ''],
    ['', '第二期 第三話', '', '?3'],
    ['', 'Endless Stairs 2nd Season Chapter 1', '1', '?1'],
  ],
  'mihonapp/mihon domain/src/test/java/tachiyomi/domain/chapter/service/ChapterRecognitionTest.kt':
    [
      ['Mokushiroku Alice', 'Mokushiroku Alice Vol.1 Ch.4: Misrepresentation', 'v1 4'],
      ['Mokushiroku Alice', 'Mokushiroku Alice Vol. 1 Ch. 4: Misrepresentation', 'v1 4'],
      ['Mokushiroku Alice', 'Mokushiroku Alice Vol.1 Ch.4.1: Misrepresentation', 'v1 4.1'],
      ['Mokushiroku Alice', 'Mokushiroku Alice Vol.1 Ch.4.4: Misrepresentation', 'v1 4.4'],
      ['Mokushiroku Alice', 'Mokushiroku Alice Vol.1 Ch.4.a: Misrepresentation', 'v1 4+', 'v1 ?4'],
      ['Mokushiroku Alice', 'Mokushiroku Alice Vol.1 Ch.4.b: Misrepresentation', 'v1 4+', 'v1 ?4'],
      [
        'Mokushiroku Alice',
        'Mokushiroku Alice Vol.1 Ch.4.extra: Misrepresentation',
        'v1 4+',
        'v1 ?4',
      ],
      ['Mokushiroku Alice', 'Mokushiroku Alice Vol.1 Ch. 4: Misrepresentation', 'v1 4'],
      ['Bleach', 'Bleach 567 Down With Snowwhite', '567'],
      ['Bleach', 'Bleach 567.1 Down With Snowwhite', '567.1'],
      ['Bleach', 'Bleach 567.4 Down With Snowwhite', '567.4'],
      ['Bleach', 'Bleach 567.a Down With Snowwhite', '567+', '?567'],
      ['Bleach', 'Bleach 567.b Down With Snowwhite', '567+', '?567'],
      ['Bleach', 'Bleach 567.extra Down With Snowwhite', '567+', '?567'],
      ['Solanin', 'Solanin 028 Vol. 2', 'v2 28'],
      ['Solanin', 'Solanin 028.1 Vol. 2', 'v2 28.1'],
      ['Solanin', 'Solanin 028.4 Vol. 2', 'v2 28.4'],
      ['Solanin', 'Solanin 028.a Vol. 2', 'v2 28+', 'v2 ?28'],
      ['Solanin', 'Solanin 028.b Vol. 2', 'v2 28+', 'v2 ?28'],
      ['Solanin', 'Solanin 028.extra Vol. 2', 'v2 28+', 'v2 ?28'],
      ['Onepunch-Man', 'Onepunch-Man Punch Ver002 028', '28'],
      ['Onepunch-Man', 'Onepunch-Man Punch Ver002 028.1', '28.1'],
      ['Onepunch-Man', 'Onepunch-Man Punch Ver002 028.4', '28.4'],
      ['Onepunch-Man', 'Onepunch-Man Punch Ver002 028.a', '28+', '?28'],
      ['Onepunch-Man', 'Onepunch-Man Punch Ver002 028.b', '28+', '?28'],
      ['Onepunch-Man', 'Onepunch-Man Punch Ver002 028.extra', '28+', '?28'],
      ['Onepunch-Man', 'Onepunch-Man Punch Ver002 086 : Creeping Darkness [3]', '86'],
      ['random', 'Vol.1 Ch.5v.2: Alones', 'v1 5'],
      ['random', "Vol.001 Ch.003: Kaguya Doesn't Know Much", 'v1 3'],
      ['random', 'Foo', ''],
      ['random', 'Fairy Tail 404: 00:00', '404'],
      ['random', 'Asu No Yoichi 19a', '19a'],
      ['Ayame 14', 'Ayame 14 1 - The summer of 14', '1'],
      ['Ayame 14', 'Vol.1 Ch.1: March 25 (First Day Cohabiting)', 'v1 1'],
      ['Ansatsu Kyoushitsu', 'Ansatsu Kyoushitsu 011v002: Assembly Time', '11'],
      ['Tokyo ESP', 'Tokyo ESP 027: Part 002: Chapter 001', '27'],
      ['One-punch Man', 'Mag Version 195.5', '195.5', '?195.5'],
      ['Fairy Tail', 'Fairy Tail 404.extravol002', '404+', '?404'],
      ['Fairy Tail', 'Fairy Tail 404 extravol002', '404+', '?404'],
      ['Fairy Tail', 'Fairy Tail 404.omakevol002', '404+', '?404'],
      ['Fairy Tail', 'Fairy Tail 404 omakevol002', '404+', '?404'],
      ['Fairy Tail', 'Fairy Tail 404.specialvol002', '404+', '?404'],
      ['Fairy Tail', 'Fairy Tail 404 specialvol002', '404+', '?404'],
      ['One Piece', 'One Piece 300,a', '300+', '?300'],
      ['One Piece', 'One Piece Ch,123,extra', '123+', '?123'],
      ['One Piece', 'One Piece the sunny, goes swimming 024,005', '24.005'],
      ['Solo Leveling', 'ch 122-a', '122+', '?122'],
      ['Solo Leveling', 'Solo Leveling Ch.123-extra', '123+', '?123'],
      ['Solo Leveling', 'Solo Leveling, 024-005', '24+', '?24'],
      ['Solo Leveling', 'Ch.191-200 Read Online', '191-200'],
      ['D.I.C.E', 'D.I.C.E[Season 001] Ep. 007', '7'],
      ['The Gamer', 'S3 - Chapter 20', '20', '?20'],
      ['One Outs', 'One Outs 001', '1'],
      ['The Sister of the Woods with a Thousand Young', 'The 1st Night', '1', '?1'],
      ['The Sister of the Woods with a Thousand Young', 'The 2nd Night', '2', '?2'],
      ['The Sister of the Woods with a Thousand Young', 'The 3rd Night', '3', '?3'],
      ['The Sister of the Woods with a Thousand Young', 'The 4th Night', '4', '?4'],
    ],
  'Casvt/Kapowarr tests/Tbackend/base/file_extraction.py': [
    ['', 'Iron-Man Volume 2 Issue 3', 'v2 3'],
    ['', 'Tales of the Unexpected, 2006-12-00 (#03) (digital) (Glorith-Novus)', '3'],
    ['', 'Doctor Strange, Sorcerer Supreme Volume 2 Issues #4.0-4.5 (03-2022)', 'v2 4-4.5'],
    ['', 'Infinity Gauntlet #1 – 6 (1991-1992)', '1-6'],
    ['', '1. Infinity Gauntlet #2 - 100 (1999-2009)', '2-100'],
    ['', '100 Bullets #1 - 101 (1999-2009)', '1-101'],
    [
      '',
      '01. X-Men Vol. 2 (#05, #1 – 113 + Annuals) Part 1 — #1 – 25 --2022-2023--',
      'v2 1-25',
      'v2 ?5|1|1-113|1-25',
    ],
    ['', 'Batman ’66 Meets the Man From U.N.C.L.E. (2016)', ''],
    [
      '',
      'Thor Vol. 3 #1 – 12 (Also known 588-599) + #600 – 621 (2007-2011) --2007-2011--',
      'v3 600-621',
      'v3 ?1|1-12|600|600-621',
    ],
    ['', 'Aliens Life And Death #003 (2016) Volume 02', 'v2 3'],
    ['', 'Spider-Man (2005) #3 - The Vector Attacks! - [01-02-2006] [cv-123]', '3'],
    ['', 'Captain America (2018) Issue 025 - All Die Young Part VI; The Promise', '25'],
    ['', 'Wolverine (2020) Issue 006 - X of Swords, Chapter 3', '6', '?6|3'],
    ['', 'Action Comics (2011) #31 - Infected Chapter 1 True Believers', '31', '?31|1'],
    [
      '',
      'The Wicked + The Divine (2014) - 035 1-2-3-4! ; The Curse in My Hands - [2018-04-30]',
      '35',
      '?35|3|3-4|1',
    ],
    ['', 'Avengers Classic #1 – 12 (2007-2008)', '1-12'],
    ['', 'Spider-Man Chapter One 002(1999)', '2'],
    ['', 'Spider-Man Chapter One 002-004(1999)', '2-4'],
    ['', 'The Sandman Book 1 – 6 (2022-2023)', '1-6', '?1|1-6'],
    ['', 'Here --2014 + 1989--', '', '?2014|1989'],
    ['', 'Batgirls - #007 - One Way or Another, Part 1 of 2 (2022-02-01) [898184]', '7'],
    ['', 'The Amazing Spider-Man (2022) Volume 06 Issue 065.Deaths', 'v6 65'],
    ['', 'X-Factor v1 -001 (1997)', 'v1 1', 'v1 ?1'],
    ['', 'A+X 002 (2013) 03 of 04 covers', '2', '?3|2'],
    ['', 'DC vs Vampires World War V 003 (2024)', '3'],
    ['', 'DC vs. Vampires World War V Issue 002 (2024)', '2'],
    ['', 'Absolute Moebius 07 - Il fallico folle (2012) [c2c Lux73 pipulus] 2.0', '7'],
    [
      '',
      "L'Uomo Ragno 219 - Il demone devastatore (Corno 1978-09-18) [c2c Jedi-Italia] 1.0",
      '219',
    ],
    ['', 'StarHenge Book 2 - A Kiss for Atticus #1 (2026)', '1'],
    ['', 'Hellblazer Book 3 #7 (2020)', '7'],
    ['', 'Saga Book 2 - Something #5 (2024)', '5'],
    ['', 'Series Book 3 (2020)', '3', '?3'],
    ['', 'Series Books 1-5 (2020)', '1-5', '?1|1-5'],
    ['', 'Series Book 3 of 5 (2020)', '3', '?3|5'],
    ['', 'Notebook 5 (2020)', '5'],
    ['', '52 Томa 3 Issue 3-5 (2022)', 'v3 3-5'],
    ['', 'Team 6 7Том', 'v7', 'v7 ?6'],
    ['', 'Kid Colt 第5卷 01-02-2022 c8', 'v5 8'],
    ['', 'Batman & Robin 2권 Issues#5-8a + Annuals (2000-2005)', 'v2 5-8a'],
    ['', 'Iron-Man (1993) T3', 'v3'],
    ['', 'Iron-Man (1993) Tome 4', 'v4'],
    ['', 'Avengers (1996) Volume 2 Annuals', 'v2'],
    ['', 'Avengers (1996) Volume 3 + Annuals', 'v3'],
    ['', 'Avengers (1996) Volume 4 Annuals + Issue 5', 'v4 5'],
    ['', 'Batman Vol. 2 #0 - 48 + Annual #1 - 4', 'v2 0-48', 'v2 ?0|0-48|1|1-4'],
    ['', 'Batman_Annual_n02c01', '2', '?1|2'],
    ['', 'Undiscovered Country Volume 2 Issue 3', 'v2 3'],
    ['', 'Iron-Man (1980) Volume 2 One-Shot Cover', 'v2'],
    ['', 'Superman Lost Volume 2 Issue 3', 'v2 3'],
    ['', 'Superman Lost Volume 2', 'v2'],
    ['', 'Superman Lost Volume 2 Issue 3 TPB', 'v2 3'],
    ['', 'Superman Lost Volume 2 Trade paper BACK', 'v2'],
    ['', 'Superman Lost Volume 2 OS', 'v2'],
    ['', 'Superman Lost Volume 2 (OS)', 'v2'],
    ['', 'Superman Lost Volume 2 [OS]', 'v2'],
    ['', 'Superman Lost Volume 2 One Shot', 'v2'],
    ['', 'Superman Lost Volume 2 ONE-SHOT', 'v2'],
    ['', 'Superman Lost Volume 2 Hc', 'v2'],
    ['', 'Superman Lost Volume 2 Hard Cover', 'v2'],
    ['', 'Superman Lost Volume 2 Issue 3 HARD-COVER', 'v2 3'],
    ['', 'Iron Man Vol. 2 #1 – 13 + TPB (1996-1997 + 2006)', 'v2 1-13'],
    ['Volume 1 (1940)', 'Batman (1940) Volume 2 Issue 11-25', 'v2 11-25'],
    [
      'Tales of the Teen Titans v2 (1984)',
      'Issue 51-58 - Tales of the Teen Titans (1985-03-01)',
      '51-58',
    ],
    ['Volume III', '5-6 - The Incredible Hulk (2022)', '5-6'],
    [
      'John Constantine, Hellblazer: 30th Anniversary Celebration (2018)',
      'John Constantine, Hellblazer: 30th Anniversary Celebration (2018) - 5',
      '5',
    ],
    ['Team 7 (0-8) GetComics.INFO', 'Team 7 008', '8'],
    ['Batman 026-050 (1945-1949) GetComics.INFO', 'Batman 048 52p ctc (08-1948) flattermann', '48'],
    ['Volume 1', 'Invincible Compendium Volume 2 Issue 3 - Volume 4 (2018-07-18)', 'v2 3'],
    [
      'Batman and the Mad Monk (1-6) (2006-2007) GetComics.INFO',
      'Batman___The_Mad_Monk_02__2007___team-ocdcp_',
      '2',
    ],
    ['Heroes for Hire', 'Heroes for Hire # ½ 02-2005', '0.5'],
    [
      'Venom (2021) [cv-140084]',
      'Venom (2021) #0021 [Pages 2-19 They Fight] [2023-08-01] [cv-996034]',
      '21',
    ],
    ['Spider-Man Volume 2 (2005)', 'Spider-Man (2005) Volume 2 title (No. 5)', 'v2 5', 'v2 ?5'],
    ['Spider-Man Volume 2 (2005)', '5 - Spider-Man (2005) Volume 2 title', 'v2 5'],
    ['30 Days of Night (2002)', '30 Days of Night (2002) 004', '4'],
    ['Blacksad', 'Blacksad 6.1 - They All Fall Down Part 1', '6.1'],
    [
      'StarHenge Book 2 - A Kiss for Atticus Volume 1 (2026)',
      '#1 - StarHenge Book 2 - A Kiss for Atticus (2026) Volume 1',
      '1',
    ],
    [
      'StarHenge Book 2 - A Kiss for Atticus Volume 1 (2026)',
      'StarHenge Book 2 - A Kiss for Atticus (2026) 1-2',
      '1-2',
    ],
    ['Preacher Book 3 (2010)', 'Preacher Book 3 #12', '12'],
    ['Avengers Annuals (1996) v3', 'c6', '6'],
    ['Avengers + Annuals (1996) v3', 'c #6-7 ½ + annual', '6-7.5'],
    [
      'Silver Surfer - Rebirth (2022) (HD-WebRip) Volume 2',
      'Silver Surfer - Rebirth (2022) (HD-WebRip) - 011',
      '11',
    ],
    [
      'Batman - Annuals (1-28) (1961-2011) GetComics.INFO',
      'Batman Annual 006 (1964) (no cover)',
      '6',
      '?6',
    ],
    ['Batman - Annuals (1-28) (1961-2011) GetComics.INFO', 'Batman Annual cover (1964)', ''],
    ['Batman - Annuals (1-28) (1961-2011) GetComics.INFO', 'Batman Annual v2c6 (1964)', 'v2 6'],
    ['Volume 2 (2011)', 'Action Comics 000 (2012) (4 covers) (digital) (Minutemen-PhD)', '0'],
    ['Volume 1 (1945)', 'Iron Man Volume 1 Issue 100 (02-03-1950)', 'v1 100'],
  ],
  'Kareadita/Kavita API.Tests/Parser/MangaParserTests.cs': [
    ['', 'Killing Bites Vol. 0001 Ch. 0001 - Galactica Scanlations (gb)', 'v1 1'],
    ['', 'My Girlfriend Is Shobitch v01 - ch. 09 - pg. 008', 'v1 9'],
    ['', 'Historys Strongest Disciple Kenichi_v11_c90-98', 'v11 90-98'],
    ['', 'B_Gata_H_Kei_v01[SlowManga&OverloadScans]', 'v1'],
    ['', 'BTOOOM! v01 (2013) (Digital) (Shadowcat-Empire)', 'v1'],
    ['', 'Gokukoku no Brynhildr - c001-008 (v01) [TrinityBAKumA]', 'v1 1-8'],
    ['', 'Dance in the Vampire Bund v16-17 (Digital) (NiceDragon)', 'v16-17'],
    ['', 'c001', '1'],
    ['', 'v001', 'v1'],
    ['', 'Vol 1', 'v1'],
    ['', 'No Volume', ''],
    ['', 'U12 (Under 12) Vol. 0001 Ch. 0001 - Reiwa Scans (gb)', 'v1 1'],
    ['', '[Suihei Kiki]_Kasumi_Otoko_no_Ko_[Taruby]_v1.1', 'v1.1'],
    ['', 'Tonikaku Cawaii [Volume 11]', 'v11'],
    ['', '[xPearse] Kyochuu Rettou Volume 1 [English] [Manga] [Volume Scans]', 'v1'],
    ['', 'Future Diary v02 (2009) (Digital) (Viz)', 'v2'],
    ['', 'Mob Psycho 100 v02 (2019) (Digital) (Shizu)', 'v2', 'v2 ?100'],
    ['', 'Kodomo no Jikan vol. 10', 'v10'],
    ['', 'Vagabond_v03', 'v3'],
    ['', 'Volume 12 - Janken Boy is Coming!', 'v12'],
    [
      '',
      '[dmntsf.net] One Piece - Digital Colored Comics Vol. 20 Ch. 177 - 30 Million vs 81 Million',
      'v20 177',
    ],
    ['', 'Gantz.V26', 'v26'],
    ['', 'NEEDLESS_Vol.4_-Simeon_6_v2[SugoiSugoi]', 'v4', 'v4 ?6'],
    ['', 'NEEDLESS_Vol.4_-_Simeon_6_v2_[SugoiSugoi]', 'v4', 'v4 ?6'],
    ['', '[Hidoi]_Amaenaideyo_MS_vol01_chp02', 'v1 2'],
    ['', 'Okusama wa Shougakusei c003 (v01) [bokuwaNEET]', 'v1 3'],
    ['', 'Sword Art Online Vol 10 - Alicization Running [Yen Press] [LuCaZ] {r2}', 'v10'],
    ['', 'Noblesse - Episode 406 (52 Pages)', '406'],
    ['', 'X-Men v1 #201 (September 2007)', 'v1 201'],
    ['', 'Hentai Ouji to Warawanai Neko. - Vol. 06 Ch. 034.5', 'v6 34.5'],
    [
      '',
      'The 100 Girlfriends Who Really, Really, Really, Really, Really Love You - Vol. 03 Ch. 023.5 - Volume 3 Extras',
      'v3 23.5',
    ],
    [
      '',
      'The 100 Girlfriends Who Really, Really, Really, Really, Really Love You - Vol. 03.5 Ch. 023.5 - Volume 3 Extras',
      'v3.5 23.5',
    ],
    ['', '幽游白书完全版 第03卷 天下', 'v3'],
    ['', '阿衰online 第1册', 'v1'],
    ['', '【TFO汉化&Petit汉化】迷你偶像漫画卷2第25话', 'v2 25'],
    ['', 'スライム倒して300年、知らないうちにレベルMAXになってました 1巻', 'v1'],
    ['', 'スライム倒して300年、知らないうちにレベルMAXになってました 1-3巻', 'v1-3'],
    ['', 'Dance in the Vampire Bund {Special Edition} v03.5 (2019) (Digital) (KG Manga)', 'v3.5'],
    ['', 'Kebab Том 1 Глава 3', 'v1 3'],
    ['', 'Манга Глава 2', '2'],
    ['', 'Манга Тома 1-4', 'v1-4'],
    ['', 'Манга Том 1-4', 'v1-4'],
    ['', '조선왕조실톡 106화', '106'],
    ['', '죽음 13회', '13'],
    ['', '동의보감 13장', '13'],
    ['', '몰?루 아카이브 7.5권', 'v7.5'],
    ['', '63권#200', 'v63 200'],
    ['', 'Accel World Chapter 001 Volume 002', 'v2 1'],
    ['', 'Hinowa ga CRUSH! 018 (2019) (Digital) (LuCaZ)', '18'],
    ['', 'Cynthia The Mission - c000-006 (v06) [Desudesu&Brolen]', 'v6 0-6'],
    ['', '[WS]_Ichiban_Ushiro_no_Daimaou_v02_ch10', 'v2 10'],
    ['', 'Loose_Relation_Between_Wizard_and_Apprentice_c07[AN]', '7'],
    ['', 'Tower Of God S01 014 (CBT) (digital)', '14'],
    ['', 'Tenjou_Tenge_c106[MT]', '106'],
    ['', 'Tenjou_Tenge_v17_c100[MT]', 'v17 100'],
    ['', 'Shimoneta - Manmaru Hen - c001-006 (v01) [Various]', 'v1 1-6'],
    ['', 'Mujaki no Rakuen Vol12 ch76', 'v12 76'],
    ['', 'Ichinensei_ni_Nacchattara_v02_ch11_[Taruby]_v1.3', 'v2 11'],
    ['', 'Beelzebub_01_[Noodles]', '1'],
    ['', 'Yumekui-Merry_DKThias_Chapter21', '21'],
    ['', 'Yumekui_Merry_v01_c01[Bakayarou-Kuu]', 'v1 1'],
    ['', 'Yumekui-Merry_DKThias_Chapter11v2', '11'],
    ['', 'Yumekui-Merry DKThiasScanlations Chapter51v2', '51'],
    ['', 'Yumekui-Merry_DKThiasScanlations&RenzokuseiScans_Chapter61', '61'],
    ['', 'Goblin Slayer Side Story - Year One 017.5', '17.5'],
    ['', 'Beelzebub_53[KSH]', '53'],
    ['', 'Beelzebub_172_RHS', '172', '?172'],
    ['', 'Black Bullet - v4 c20.5 [batoto]', 'v4 20.5'],
    ['', 'Itoshi no Karin - c001-006x1 (v01) [Renzokusei Scans]', 'v1 1-6'],
    ['', 'APOSIMZ 040 (2020) (Digital) (danke-Empire)', '40'],
    ['', 'Kedouin Makoto - Corpse Party Musume, Chapter 12', '12'],
    ['', 'Kedouin Makoto - Corpse Party Musume, Chapter 12 [Dametrans][v2]', '12'],
    ['', 'VanDread-v01-c001[MD]', 'v1 1'],
    ['', 'Goblin Slayer - Brand New Day 006.5 (2019) (Digital) (danke-Empire)', '6.5'],
    ['', 'To Love Ru v11 Uncensored (Ch.089-097+Omake)', 'v11 89-97'],
    ['', 'To Love Ru v18 Uncensored (Ch.153-162.5)', 'v18 153-162.5'],
    ['', '[AN] Mahoutsukai to Deshi no Futekisetsu na Kankei Chp. 1', '1'],
    ['', 'Beelzebub_Side_Story_02_RHS', '2', '?2'],
    ['', '[PROzess]Kimi_ha_midara_na_Boku_no_Joou_-_Ch01', '1'],
    ['', '[Renzokusei]_Kimi_wa_Midara_na_Boku_no_Joou_Ch5_Final_Chapter', '5'],
    ['', 'Fullmetal Alchemist chapters 101-108', '101-108'],
    ['', 'Umineko no Naku Koro ni - Episode 3 - Banquet of the Golden Witch #02', '2', '?2|3'],
    ['', 'Umineko no Naku Koro ni - Episode 1 - Legend of the Golden Witch #1', '1'],
    ['', 'Tonikaku Kawaii Vol-1 (Ch 01-08)', 'v1 1-8'],
    ['', 'Tonikaku Kawaii (Ch 59-67) (Ongoing)', '59-67'],
    [
      '',
      'Corpse Party -The Anthology- Sachikos game of love Hysteric Birthday 2U Extra Chapter',
      '',
      '?2u',
    ],
    ['', 'Corpse Party -The Anthology- Sachikos game of love Hysteric Birthday 2U Chapter 01', '1'],
    ['', 'Vol03_ch15-22', 'v3 15-22'],
    ['', 'Beelzebub_153b_RHS', '153b', '?153b'],
    ['', 'Beelzebub_150-153b_RHS', '150-153b', '?150|150-153b'],
    ['', 'Transferred to another world magical swordsman v1.1', 'v1.1'],
    ['', 'Kiss x Sis - Ch.15 - The Angst of a 15 Year Old Boy', '15'],
    ['', 'Kiss x Sis - Ch.12 - 1 , 2 , 3P!', '12'],
    ['', "Kiss x Sis - Ch.00 - Let's Start from 0", '0'],
    ['', 'Tomogui Kyoushitsu - Chapter 006 Game 005 - Fingernails On Right Hand (Part 002)', '6'],
    ['', 'Kodoja #001 (March 2016)', '1'],
    ['', 'Boku No Kokoro No Yabai Yatsu - Chapter 054 I Prayed At The Shrine (V0)', '54'],
    ['', 'Ijousha No Ai - Vol.01 Chapter 029 8 Years Ago', 'v1 29'],
    ['', 'Kimi no Koto ga Daidaidaidaidaisuki na 100-nin no Kanojo Chapter 1-10', '1-10'],
    ['', 'Deku_&_Bakugo_-_Rising_v1_c1.1', 'v1 1.1'],
    ['', 'Chapter 63 - The Promise Made for 520 Cenz', '63'],
    ['', 'Harrison, Kim - The Good, The Bad, and the Undead - Hollows Vol 2.5', 'v2.5'],
    ['', 'Kaiju No. 8 036 (2021) (Digital)', '36'],
    ['', 'Samurai Jack Vol. 01 - The threads of Time', 'v1'],
    ['', '【TFO汉化&Petit汉化】迷你偶像漫画第25话', '25'],
    ['', '자유록 13회#2', '13', '?13|2'],
    [
      '',
      '이세계에서 고아원을 열었지만, 어째서인지 아무도 독립하려 하지 않는다 38-1화 ',
      '38+',
      '?38',
    ],
    ['', '[ハレム]ナナとカオル ～高校生のSMごっこ～　第10話', '10'],
    ['', 'Манга 2 Глава', '2'],
    ['', 'Манга Том 1 2 Глава', 'v1 2'],
    ['', 'Манга Том 1 3-4 Глава', 'v1 3-4'],
    ['', 'Highschool of the Dead - 02', '2'],
    ['', 'Cynthia the Mission 29', '29'],
    ['', 'Magi - Ch.252-005', '252+', '?252'],
    ['', 'Yuusha Ga Shinda! - Vol.tbd Chapter 27.001 V2 Infection ①', '27.001'],
    ['', 'Grand Blue Dreaming - SP02 Extra (2019) (Digital) (danke-Empire)', '', '?2'],
    ['', '[BAA]_Darker_than_Black_Omake-1', '', '?1'],
    ['', '[BAA]_Darker_than_Black_c7', '7'],
    ['', 'Baketeriya ch01-05', '1-5'],
    ['', 'Knights of Sidonia c000 (S2 LE BD Omake - BLAME!) [Habanero Scans]', '0'],
    ['', '7thGARDEN v01 (2016) (Digital) (danke)', 'v1'],
    ['', 'Akame ga KILL! ZERO (2016-2019) (Digital) (LuCaZ)', ''],
    ['', 'Zettai Karen Children v02 c003 - The Invisible Guardian (2) [JS Scans]', 'v2 3'],
    ['', 'My Charms Are Wasted on Kuroiwa Medaka - Ch. 37.5 - Volume Extras', '37.5'],
    ['', 'The Duke of Death and His Black Maid - Ch. 177 - The Ball (3)', '177'],
    ['', 'The Duke of Death and His Black Maid - Vol. 04 Ch. 054.5 - V4 Omake', 'v4 54.5'],
    ['', 'Getsuyoubi no Tawawa - Ch. 001 - Ai-chan, Part 1', '1'],
    ['', 'Battle Royale, v01 (2000) [TokyoPop] [Manga-Sketchbook]', 'v1'],
    ['', 'Esquire 6권 2021년 10월호', 'v6'],
    ['', 'Gifting The Wonderful World With Blessings! - 3 Side Stories [yuNS][Unknown]', '', '?3'],
    ['', 'The League of Extraordinary Gentlemen', ''],
    ['', 'Beastars - SP01', '', '?1'],
    ['', 'Beelzebub_Omake_June_2012_RHS', '', '?2012'],
    ['', 'Love Hina - Special', ''],
  ],
};

function reading({ volume, lastVolume, number, lastNumber, possibleNumbers }: GuessedName): string {
  const range = (...parts: readonly (string | undefined)[]) =>
    parts.filter((part) => part !== undefined).join('-');
  const possible = possibleNumbers && `?${possibleNumbers.join('|')}`;
  return [volume && `v${range(volume, lastVolume)}`, range(number, lastNumber), possible]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');
}

const read = (folder: string, name: string) =>
  reading(guessName(name, folder === '' ? [] : [folder]));

describe.each(Object.entries(NAMES))('%s', (_source, rows) => {
  test.each(rows)('%s / %s', (folder, name, right, expected = right) => {
    expect(read(folder, name)).toBe(expected);
  });

  test('no number is wrong: what is not read right is uncertain, or not read', () => {
    const isUncertain = (text: string) => !/(^| )\d/.test(text);
    const wrong = rows.filter(([, , right, expected = right]) => {
      return expected !== right && !isUncertain(expected);
    });
    expect(wrong).toEqual([]);
  });

  test('one of the numbers that are possible is right, where there is one', () => {
    const wrong = rows.filter(([, , right, expected = right]) => {
      const [, possible] = expected.split('?');
      const number = right.replace(/^v\S+ ?/, '').replace('+', '');
      return possible !== undefined && number !== '' && !possible.split('|').includes(number);
    });
    expect(wrong).toEqual([]);
  });
});

test('the table of examples in docs/collection.md is what is read', () => {
  const text = readFileSync('docs/collection.md', 'utf8');
  const [table = ''] = /<!-- names -->.*<!-- \/names -->/s.exec(text) ?? [];
  const rows = [...table.matchAll(/^\| (?:`(.+?)`)? *\| `(.+?)` *\| (.+?) *\|$/gm)];
  expect(rows.length).toBeGreaterThan(20);
  for (const [, folder = '', name = '', expected] of rows) {
    const words = read(folder, name)
      .split(' ')
      .map((word) => word.replace(/^v(.*-.*)$/, 'volumes $1').replace(/^v(\S+)$/, 'volume $1'))
      .map((word) => word.replace('?', 'unclear: ').replaceAll('|', ', '));
    expect([name, words.join(', ')]).toEqual([name, expected]);
  }
});

/** The built-in forms, also of versions before, and those that owners write. */
const TEMPLATES = [
  ...[true, false].flatMap((hasLanguages) => {
    const chapterFirst = builtInTemplate({ hasLanguages, hasTitleFolder: false });
    const { volumeFirst, former } = chapterFirst.builtIn ?? {};
    return [chapterFirst, volumeFirst, former].filter((each) => each !== undefined);
  }),
  compileNameTemplate('{series} Ch.{chapter:03} (Vol.{volume:02}) - {title} [{group}]'),
  compileNameTemplate('v{volume:02} c{chapter:03}'),
  compileNameTemplate('{series}_v{volume}_c{chapter}'),
];

const words = fc.constantFrom(
  ...[
    'Sea',
    'Mob',
    '100',
    '51',
    'Part 2',
    'Extra',
    'Chapter 3',
    'No. 8',
    '2024',
    '#5',
    'Vol',
    'c',
    'é',
  ],
  ...[
    'Season 2',
    'Episode 4',
    '7 Days',
    '第3話',
    '1-2',
    'v2',
    '½',
    '(2020)',
    'of',
    '-',
    ':',
    '04',
    'Fog',
  ],
);
const text = fc.array(words, { minLength: 1, maxLength: 4 }).map((all) => all.join(' '));
const whole = fc.integer({ min: 0, max: 2999 }).map(String);
const number = fc.oneof(
  whole,
  fc.tuple(whole, fc.integer({ min: 1, max: 9 })).map(([first, tenths]) => `${first}.${tenths}`),
  whole.map((first) => `${first}b`),
);
const chapter = fc.record({
  template: fc.constantFrom(...TEMPLATES),
  series: text.map((some) => `Sea ${some}`),
  volume: fc.option(fc.integer({ min: 0, max: 120 }).map(String), { nil: undefined }),
  number,
  // `Ch.100 - 300` may be a range.
  title: fc.option(
    text.map((some) => `Fog ${some}`),
    { nil: undefined },
  ),
  group: fc.option(fc.constantFrom('Owls', 'A + B', 'Night Owls 2'), { nil: undefined }),
});

/** Without the extension. */
function ownName({
  template,
  number: of,
  ...values
}: typeof chapter extends fc.Arbitrary<infer T> ? T : never) {
  const path = template({ ...values, chapter: of, language: 'en', id: 'x' });
  return basename(path, '.cbz');
}

describe('names that templates of tankobon give', () => {
  test('are read right in the folder of their title', () => {
    fc.assert(
      fc.property(chapter, (each) => {
        const { volume, number: found } = guessName(ownName(each), [each.series]);
        expect([volume, found]).toEqual([each.volume, each.number]);
      }),
    );
  });

  test('are never read wrongly in another folder', () => {
    fc.assert(
      fc.property(chapter, (each) => {
        const { number: found, possibleNumbers } = guessName(ownName(each), ['Downloads']);
        expect(found ?? each.number).toBe(each.number);
        expect(found ?? possibleNumbers).toBeDefined();
      }),
    );
  });
});
