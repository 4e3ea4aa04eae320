import { join } from 'node:path'
import { processActor } from '../../apps/platform/src/core/actor.ts'
import { readConfig } from '../../apps/platform/src/core/config.ts'
import { openDatabase } from '../../apps/platform/src/core/database/database.ts'
import { migrate } from '../../apps/platform/src/core/database/migrate.ts'
import { openMailer } from '../../apps/platform/src/core/mail/mailer.ts'
import { openFolderObjects } from '../../apps/platform/src/core/objects/folder-objects.ts'
import type { Platform } from '../../apps/platform/src/core/platform.ts'
import { apiVersionsOf, migrationsOf } from '../../apps/platform/src/core/service.ts'
import { createSampleWorkspace } from '../../apps/platform/src/sample/workspace.ts'
import { services } from '../../apps/platform/src/services.ts'
import {
  addAccount,
  type NewAccount,
} from '../../apps/platform/src/services/auth/account/parts/create-account.ts'
import { hashPassword } from '../../apps/platform/src/services/auth/account/parts/password-hash.ts'
import { within } from '../../apps/platform/src/services/auth/context.ts'
import { auth } from '../../apps/platform/src/services/auth/index.ts'
import { developerEmails, password } from './run-folder.ts'

// Fills the data folder GROVE_DATA like a first start, and adds developers for the tests: one network
// may sign up too few of them.
const config = readConfig(process.env)
const database = await openDatabase({ folder: config.dataFolder })
await migrate(database.db, migrationsOf(services))
const platform: Platform = {
  config,
  env: process.env,
  database,
  db: database.db,
  objects: await openFolderObjects(join(config.dataFolder, 'objects')),
  mailer: openMailer(config),
  now: Date.now,
  apiVersions: apiVersionsOf(services),
  services: services.map(({ name }) => name),
}
await createSampleWorkspace(platform)
const context = await auth.open(platform)
const passwordHash = await hashPassword(password)
await database.db.transaction().execute(async (tx) => {
  for (const email of developerEmails) {
    const account: NewAccount = {
      email,
      passwordHash,
      roles: ['DEVELOPER'],
      name: null,
      locale: 'en-US',
    }
    await addAccount(within(context, tx), processActor('grove'), account)
  }
})
await database.close()
