import type { Service } from './core/service.ts'
import { auth } from './services/auth/index.ts'
import { cedar } from './services/cedar/index.ts'
import { consoleService } from './services/console/index.ts'
import { dev } from './services/dev/index.ts'
import { gateway } from './services/maple/gateway.ts'
import { maple } from './services/maple/index.ts'

/** Every service that a process can run; `GROVE_SERVICES` chooses. */
export const services: readonly Service[] = [auth, cedar, maple, gateway, consoleService, dev]
