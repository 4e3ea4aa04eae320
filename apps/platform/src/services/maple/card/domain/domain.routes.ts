import { domainCalls } from '@grove/contract/maple/card/domain'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { MapleContext } from '../../base/context.ts'
import { changeDomains, listDomains } from './domain.service.ts'

export function registerDomain(app: FastifyInstance, context: MapleContext): void {
  addCall(app, domainCalls, 'GET /api/maple/se/domains', ({ actor, query }) =>
    listDomains(context, actor, query),
  )

  addCall(app, domainCalls, 'POST /api/maple/se/domains', ({ actor, query, body, revision }) =>
    changeDomains(context, actor, { ...query, ...body, revision }),
  )
}
