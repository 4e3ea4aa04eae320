// Which tests a short run leaves out, and which of the platform's run on which database. Folders end
// in a slash.
const platform = 'apps/platform/src/'

/** They touch no database, or only the embedded one: they run once, beside the tests on PGlite. */
export const once = [
  'services/cedar/package/',
  'services/cedar/parts/link-id.test.ts',
  'services/auth/signing-key/parts/key-periods.test.ts',
  'core/http/network.test.ts',
  'fuzz.test.ts',
  'sample/samples.test.ts',
  'core/hsm/',
  'core/objects/',
  'settings.test.ts',
  'core/secret.test.ts',
  'core/http/change-limit.test.ts',
  'core/http/slow-senders.test.ts',
  'services/maple/connect/gateway/fair-pace.test.ts',
  'core/database/data-folder.test.ts',
  'core/folder-lock.test.ts',
  'core/database/embedded.test.ts',
  'core/database/frontend-messages.test.ts',
  'core/database/keyset.test.ts',
  'core/database/kill.test.ts',
].map((path) => platform + path)

/**
 * What a database of one process could answer otherwise than a PostgreSQL server: lists, searches,
 * changes at once, large data; and of each service one file that uses most of it. Everything else
 * runs on PostgreSQL alone in a short run; the browser's scenarios run on PGlite as well.
 */
export const onBothInShort = [
  'accounts.test.ts',
  'core/database/',
  'core/jobs/',
  'keys.test.ts',
  'backup.test.ts',
  'faults.test.ts',
  'sample/fleet.test.ts',
  'services/auth/account-admin/',
  'services/auth/large-tables.test.ts',
  'services/auth/session/',
  'services/cedar/catalogue/',
  'services/cedar/concurrent-changes.test.ts',
  'services/cedar/large-text.test.ts',
  'services/cedar/product/',
  'services/console/',
  'services/dev/mail/',
  'services/maple/access/account/last-administrator.test.ts',
  'services/maple/fleet/device/',
  'services/maple/card/session/session-kill.test.ts',
].map((path) => platform + path)

/** It installs 300 MB from the registry, builds for half a minute, and needs no other test. */
export const onlyInAll = ['packages/auth-client/test/publish/next.test.ts']

/** `npm test` and `npm run check` ask for it; without it every file runs on both. */
export const isShort = process.env['GROVE_TESTS'] === 'short'

export const patternOf = (path: string) => (path.endsWith('/') ? `${path}**/*.test.ts` : path)
