import { jobCalls } from '@grove/contract/core/job-calls'
import type { ServiceName } from '@grove/contract/call'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../http/add-call.ts'
import { cancelJob, getJob, listJobs, retryJob, type JobAdmin } from './job.service.ts'

/** Each service serves its own jobs. */
export function addJobRoutes(app: FastifyInstance, admin: JobAdmin): void {
  // Every service with jobs is in the contract; calls of others would be refused below.
  const service = admin.store.schema as ServiceName
  addCall(app, jobCalls, `GET /api/${service}/job`, ({ actor, query }) =>
    listJobs(admin, actor, query),
  )
  addCall(app, jobCalls, `GET /api/${service}/job/{id}`, ({ actor, params }) =>
    getJob(admin, actor, params.id),
  )
  addCall(app, jobCalls, `POST /api/${service}/job/{id}/retry`, ({ actor, params }) =>
    retryJob(admin, actor, params.id),
  )
  addCall(app, jobCalls, `POST /api/${service}/job/{id}/cancel`, ({ actor, params }) =>
    cancelJob(admin, actor, params.id),
  )
}
