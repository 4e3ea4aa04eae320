import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readFile } from 'node:fs/promises'
import { ProblemError } from '../../../core/http/problem.ts'
import {
  deleteAllMails,
  listMails,
  mailFolderOf,
  readMail,
  readMessage,
} from '../../../core/mail/mail-folder.ts'
import type { DevContext } from '../context.ts'
import {
  frameDocument,
  framePolicy,
  listPage,
  mailPage,
  mailPath,
  missingPage,
  pageLanguage,
  pagePolicy,
} from './mail-pages.ts'

type OfMail = { Params: { id: string } }

/** Shows the mails in the data folder in a browser. */
export function addMailRoutes(app: FastifyInstance, { config }: DevContext): void {
  const folder = mailFolderOf(config.dataFolder)
  const options = { schema: { hide: true } }

  app.get(mailPath, options, async (request, reply) => {
    const mails = await listMails(folder)
    return sendPage(reply, listPage(languageOf(request), mails, config.mailUrl !== undefined))
  })

  app.get(`${mailPath}/mail.css`, options, async (_request, reply) =>
    reply
      .type('text/css; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(await readFile(new URL('mail.css', import.meta.url))),
  )

  app.get<OfMail>(`${mailPath}/:id`, options, async (request, reply) => {
    const mail = await readMail(folder, request.params.id)
    const language = languageOf(request)
    if (!mail) return sendPage(reply.code(404), missingPage(language))
    return sendPage(reply, mailPage(language, mail))
  })

  app.get<OfMail>(`${mailPath}/:id/html`, options, async (request, reply) => {
    const mail = await readMail(folder, request.params.id)
    if (!mail?.html) throw notFound()
    return sendPage(reply, frameDocument(mail.html), framePolicy)
  })

  app.get<OfMail>(`${mailPath}/:id/eml`, options, async (request, reply) => {
    const { id } = request.params
    const message = await readMessage(folder, id)
    if (!message) throw notFound()
    return reply
      .type('message/rfc822')
      .header('cache-control', 'no-store')
      .header('content-disposition', `attachment; filename="${id}.eml"`)
      .send(message)
  })

  app.post(`${mailPath}/delete`, options, async (request, reply) => {
    refuseOtherSites(request)
    await deleteAllMails(folder)
    return reply.redirect(mailPath, 303)
  })
}

// Another site can submit a form to this machine; the browser's headers reveal that.
function refuseOtherSites({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site']
  if (site === 'same-origin' || (site === undefined && headers.origin === undefined)) return
  throw new ProblemError('forbidden', 'Mail can only be deleted from its own page.')
}

const languageOf = (request: FastifyRequest) => pageLanguage(request.headers['accept-language'])

const sendPage = (reply: FastifyReply, html: string, policy = pagePolicy) =>
  reply
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('content-security-policy', policy)
    .send(html)

const notFound = () => new ProblemError('not_found', 'The mail does not exist.')
