import { cardOperationCalls } from '@grove/contract/maple/card/card-operation'
import { elementCardCalls } from '@grove/contract/maple/card/element-card'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { JobQueue } from '../../../../core/jobs/job-queue.ts'
import type { SessionContext } from '../context.ts'
import type { CardJobs } from '../jobs.ts'
import {
  askTermination,
  cancelCardOperation,
  changeCardDomains,
  listCardOperations,
} from './card-operation.service.ts'
import { acknowledgeDifference, showReading } from './card-reading.ts'
import { lockCard, readCard } from './element-card.service.ts'

type Context = SessionContext & { jobs: JobQueue<CardJobs> }

export function registerElementCard(app: FastifyInstance, context: Context): void {
  addCall(app, elementCardCalls, 'POST /api/maple/se/card/read', ({ actor, body }) =>
    readCard(context, actor, body),
  )

  addCall(app, elementCardCalls, 'GET /api/maple/se/card/reading', ({ actor, query }) =>
    showReading(context, actor, query),
  )

  addCall(app, elementCardCalls, 'POST /api/maple/se/card/difference', ({ actor, body }) =>
    acknowledgeDifference(context, actor, body),
  )

  addCall(app, elementCardCalls, 'POST /api/maple/se/card/lock', ({ actor, body }) =>
    lockCard(context, actor, body),
  )

  addCall(app, cardOperationCalls, 'POST /api/maple/se/card/domains', ({ actor, query, body }) =>
    changeCardDomains(context, actor, { ...query, ...body }),
  )

  addCall(app, cardOperationCalls, 'GET /api/maple/se/card/operation', ({ actor, query }) =>
    listCardOperations(context, actor, query),
  )

  addCall(
    app,
    cardOperationCalls,
    'POST /api/maple/se/card/operation/{id}/cancel',
    ({ actor, params }) => cancelCardOperation(context, actor, params),
  )

  addCall(
    app,
    cardOperationCalls,
    'POST /api/maple/se/card/terminate',
    ({ actor, body, revision }) => askTermination(context, actor, { ...body, revision }),
  )
}
