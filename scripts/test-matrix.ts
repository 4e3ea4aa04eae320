// Which tests a short run leaves out, and which of the platform's tests run on which database.
// Folders end in a slash.
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
  'core/database/clock.test.ts',
  'core/database/database.test.ts',
  'core/database/define-list.test.ts',
  'core/database/notices.test.ts',
  'core/database/statement-watch.test.ts',
  'core/database/unavailable.test.ts',
  'core/jobs/jobs.test.ts',
  'faults.test.ts',
  'services/auth/account-admin/',
  'services/cedar/product/product.test.ts',
  'services/console/',
  'services/dev/mail/',
  'services/maple/fleet/device/device.test.ts',
  'services/maple/fleet/device/device-list.test.ts',
].map((path) => platform + path)

/** Their tests of the embedded database start processes, and wait for test:all. */
export const onBothInAll = [
  'backup.test.ts',
  'core/database/migrate.test.ts',
  'core/jobs/jobs-kill.test.ts',
  'keys.test.ts',
  'services/maple/card/session/session-kill.test.ts',
].map((path) => platform + path)

/** Each of their tests takes long: they start and kill processes, install packages or build. */
export const onlyInAll = [
  `${platform}accounts.test.ts`,
  `${platform}core/database/data-folder.test.ts`,
  `${platform}core/testing/postgres-server.test.ts`,
  `${platform}ends-by-date.test.ts`,
  `${platform}migrate-command.test.ts`,
  `${platform}processes-kill.test.ts`,
  `${platform}sample/fleet.test.ts`,
  `${platform}services/cedar/notification/delivery-kill.test.ts`,
  `${platform}services/cedar/package/package-memory.test.ts`,
  `${platform}services/maple/access/account/account-list.test.ts`,
  `${platform}services/maple/card/applet/operation-kill.test.ts`,
  `${platform}services/maple/card/reader/reader-package.test.ts`,
  `${platform}services/maple/connect/gateway/agent-package.test.ts`,
  `${platform}services/maple/connect/gateway/live-fuzz.test.ts`,
  `${platform}services/maple/connect/gateway/mqtt/check-device.test.ts`,
  `${platform}services/maple/connect/gateway/mqtt/libraries.test.ts`,
  `${platform}services/maple/connect/gateway/several-gateways.test.ts`,
  `${platform}services/maple/fleet/device-import/import-kill.test.ts`,
  `${platform}services/maple/fleet/device-import/import-revert.test.ts`,
  `${platform}services/maple/program/cloud-handler/handler-kill.test.ts`,
  `${platform}services/maple/program/cloud-handler/handler-turns.test.ts`,
  `${platform}services/maple/rollout/rollout-kill.test.ts`,
  `${platform}stop.test.ts`,
  `${platform}upgrade.test.ts`,
  `${platform}vault-start.test.ts`,
  'packages/cli/src/package.test.ts',
  'packages/device-agent/src/check/device.test.ts',
  'packages/secure-element/src/card/command-effects.test.ts',
  `${platform}rolling-upgrade.test.ts`,
  `${platform}services/maple/connect/gateway/intake-stream.test.ts`,
  'packages/auth-client/test/publish/first-minute.test.ts',
  'packages/auth-client/test/publish/next.test.ts',
  'deploy/image.test.ts',
  'deploy/kubernetes-schema.test.ts',
]

export const patternOf = (path: string) => (path.endsWith('/') ? `${path}**/*.test.ts` : path)
