import type { OpenCloudHandler } from '@grove/contract/maple/program/cloud-handler'
import { maxHandlerSecretLength } from '@grove/contract/maple/program/handler.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../../../session/api.ts'
import { ProgramSecrets } from '../program-secrets/program-secrets.tsx'
import { path, refreshHandler, secretsOf } from './cloud-handler.api.ts'

const secretPath = `${path}/{id}/secret` as const

/** Values that a handler's code puts into headers. */
export function HandlerSecrets({ handler }: { handler: OpenCloudHandler }) {
  const { t } = useLingui()
  const loading = useQuery(secretsOf(handler.id))
  const params = { id: handler.id }
  return (
    <ProgramSecrets
      secrets={{
        loading,
        set: (body) => api.maple.put(secretPath, { params, body }),
        remove: (name) => api.maple.delete(secretPath, { params, query: { name } }),
        refresh: () => refreshHandler(),
      }}
      value={{
        maxLength: maxHandlerSecretLength,
        problemOf: (value) =>
          /^[!-~]([ -~]*[!-~])?$/.test(value)
            ? undefined
            : t`Enter the value as it goes into a header: letters, digits and signs.`,
      }}
      refusal={handler.rights.change ? t`You do not have the right to change handlers.` : undefined}
      about={
        <Trans>
          None yet. Code puts a secret into a header with <code>secret('name')</code> but cannot
          read it.
        </Trans>
      }
    />
  )
}
