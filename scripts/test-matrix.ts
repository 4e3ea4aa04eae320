// Which tests a short run leaves out, and which of the platform's run on which database. Folders end
// in a slash.
const platform = 'apps/platform/src/'

/** They do not use a database, so they run once, and share the modules of their worker. */
export const withoutDatabase = [
  'services/cedar/package/archive-draft.test.ts',
  'services/cedar/package/content-ahead.test.ts',
  'services/cedar/package/look-alike-name.test.ts',
  'services/cedar/package/package-checker.test.ts',
  'services/cedar/package/package-content.test.ts',
  'services/cedar/package/package-file-name.test.ts',
  'services/cedar/package/repair-package.test.ts',
  'services/cedar/package/rewrite-package.test.ts',
  'services/cedar/package/zip-safety.test.ts',
  'services/cedar/parts/link-id.test.ts',
  'services/auth/signing-key/parts/key-periods.test.ts',
  'core/http/network.test.ts',
  'core/http/validator.test.ts',
  'sample/samples.test.ts',
  'core/hsm/',
  'core/objects/',
  'settings.test.ts',
  'core/secret.test.ts',
  'environment.test.ts',
  'tracing.test.ts',
  'core/http/change-limit.test.ts',
  'core/http/slow-senders.test.ts',
  'services/maple/card/session/redact.test.ts',
  'services/maple/connect/gateway/connection-machine.test.ts',
  'services/maple/connect/gateway/device-connection.test.ts',
  'services/maple/connect/gateway/batch.test.ts',
  'services/maple/connect/gateway/fair-pace.test.ts',
  'core/database/frontend-messages.test.ts',
  'core/database/keyset.test.ts',
].map((path) => platform + path)

/** They concern the embedded database, or measure memory or end threads in a separate process. */
export const embeddedAlone = [
  'services/cedar/package/package-fuzz.test.ts',
  'services/cedar/package/package-memory.test.ts',
  'fuzz.test.ts',
  'core/database/data-folder.test.ts',
  'core/folder-lock.test.ts',
  'core/database/embedded.test.ts',
  'core/database/kill.test.ts',
  'stop.test.ts',
].map((path) => platform + path)

/**
 * Where a single-process database could behave differently from a PostgreSQL server: its commands,
 * jobs, lists and concurrent changes, and for each service one file that uses most of it. Everything
 * else runs only on PostgreSQL in a short run; the browser's scenarios run on PGlite as well.
 */
export const onBothInShort = [
  'core/database/',
  'core/jobs/',
  'accounts.test.ts',
  'migrate-command.test.ts',
  'keys.test.ts',
  'backup.test.ts',
  'faults.test.ts',
  'sample/fleet.test.ts',
  'services/auth/account-admin/',
  'services/cedar/product/product.test.ts',
  'services/console/',
  'services/dev/mail/',
  'services/maple/access/account/last-administrator.test.ts',
  'services/maple/fleet/device/device.test.ts',
  'services/maple/fleet/device/device-list.test.ts',
  'services/maple/card/session/session-kill.test.ts',
].map((path) => platform + path)

/** They take more than twenty seconds each, install from the registry or build for minutes. */
export const onlyInAll = [
  `${platform}rolling-upgrade.test.ts`,
  `${platform}services/maple/connect/gateway/intake-stream.test.ts`,
  'packages/auth-client/test/publish/first-minute.test.ts',
  'packages/auth-client/test/publish/next.test.ts',
  'deploy/image.test.ts',
  'deploy/kubernetes-schema.test.ts',
]

/** `npm test` and `npm run check` set it; without it every file runs on both. */
export const isShort = process.env['GROVE_TESTS'] === 'short'

export const patternOf = (path: string) => (path.endsWith('/') ? `${path}**/*.test.ts` : path)
