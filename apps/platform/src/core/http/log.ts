import {
  LogController,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify'

/** One line of JSON per response, with the level as a word. */
export const logSettings = (level: string): FastifyServerOptions => ({
  logger: {
    level,
    redact: ['req.headers.authorization', 'req.headers.cookie'],
    formatters: { level: (label) => ({ level: label }) },
    serializers: {
      // A query may hold an email address; the path is enough to find the call.
      req: (request) => ({
        method: request.method,
        path: request.url?.split('?')[0],
        ip: request.ip,
      }),
    },
  },
  logController: new AnswerLog(),
})

class AnswerLog extends LogController {
  override incomingRequest() {}

  override routeNotFound() {}

  /** Logs the call, the account, the trace, the status and the duration. */
  override requestCompleted(error: Error | null, request: FastifyRequest, reply: FastifyReply) {
    const line = {
      req: request,
      route: request.routeOptions.url,
      service: request.server.api?.name,
      user: request.accessToken?.userId,
      trace: request.traced?.span.spanContext().traceId,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    }
    if (error) reply.log.error({ ...line, err: error }, 'not answered')
    else reply.log.info(line, 'answered')
  }
}
