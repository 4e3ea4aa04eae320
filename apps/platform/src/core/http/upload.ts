import type { Multipart, MultipartFile } from '@fastify/multipart'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Readable } from 'node:stream'
import type { Call, FormOf } from '@grove/contract/call'
import { invalidField, ProblemError } from './problem.ts'
import { validationProblem } from './validation-problem.ts'
import { validatorFor } from './validator.ts'

/** A file from a request. */
export interface IncomingFile {
  /** As the sender named it: displayed, never used as a path. */
  fileName: string
  /** Ends early if the file exceeds the limit: call `assertComplete` after reading. */
  stream: Readable
  /** @throws ProblemError `file_too_large`, or if the form continues after its file. */
  assertComplete: () => Promise<void>
}

export interface Upload<C extends Call> extends IncomingFile {
  form: FormOf<C>
}

/** A file's display name, or `unnamed` if it was sent without one. */
export const shownName = (name: string, unnamed: string): string =>
  name.toWellFormed().replaceAll(/\p{Cc}/gu, '') || unnamed

const fieldBytes = 1024
const fields = 10

/** Reads a multipart request up to its file, which is left to stream. */
export async function readUpload<C extends Call>(
  request: FastifyRequest,
  reply: FastifyReply,
  call: C,
  maxBytes: number,
): Promise<Upload<C>> {
  throwAwayRest(request, reply)
  const form: Record<string, string> = {}
  const limits = { fileSize: maxBytes, fieldSize: fieldBytes, fields, files: 1, parts: fields + 1 }
  const parts = request.parts({ limits })
  for (let next = await parts.next(); !next.done; next = await parts.next()) {
    const part = next.value
    if (part.type === 'field') {
      if (part.fieldnameTruncated || part.valueTruncated)
        throw invalidField(part.fieldname.slice(0, 100), 'maxLength', 'A form field is too long.')
      form[part.fieldname] = String(part.value)
      continue
    }
    if (part.fieldname !== 'file')
      throw invalidField(
        part.fieldname.slice(0, 100),
        'name',
        'Send the file in the part named "file".',
      )
    try {
      if (call.form) checkForm(call.form, form)
    } catch (error) {
      part.file.resume()
      throw error
    }
    return uploadOf(part, parts, form as FormOf<C>, maxBytes)
  }
  throw new ProblemError('file_missing', 'Send one file in the part named "file".')
}

/**
 * After the response is sent, the rest is read and discarded: a sender that reads only after sending
 * everything would otherwise wait forever.
 */
function throwAwayRest({ raw }: FastifyRequest, reply: FastifyReply): void {
  reply.raw.once('finish', () => {
    raw.unpipe()
    raw.resume()
  })
}

function uploadOf<C extends Call>(
  part: MultipartFile,
  parts: AsyncIterator<Multipart>,
  form: FormOf<C>,
  maxBytes: number,
): Upload<C> {
  return {
    form,
    // A part may contain a file without a name.
    fileName: ((part.filename as string | undefined) ?? '').slice(0, 255),
    stream: part.file,
    assertComplete: async () => {
      if (part.file.truncated)
        throw new ProblemError(
          'file_too_large',
          `The file is larger than ${Math.floor(maxBytes / 1024 / 1024)} MB, the limit of this call.`,
        )
      const late = await parts.next()
      if (late.done) return
      if (late.value.type === 'file') late.value.file.resume()
      const name = late.value.fieldname.slice(0, 100)
      throw invalidField(name, 'order', 'Send every form field before the file.')
    },
  }
}

function checkForm(schema: NonNullable<Call['form']>, form: unknown): void {
  const validate = validatorFor(schema, 'form')
  if (validate(form)) return
  throw validationProblem(validate.errors ?? [], 'form')
}
