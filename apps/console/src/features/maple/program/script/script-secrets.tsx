import type { Script } from '@grove/contract/maple/program/script'
import { scriptSecretPattern } from '@grove/contract/maple/program/script.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../../../session/api.ts'
import { ProgramSecrets } from '../program-secrets/program-secrets.tsx'
import { path, refreshScript } from './script.api.ts'

const secretPath = `${path}/{id}/secret` as const

/** Values that a script stores on cards without reading them. */
export function ScriptSecrets({ script: { id } }: { script: Script }) {
  const { t } = useLingui()
  const params = { id }
  const loading = useQuery(api.maple.query(secretPath, { params }))
  return (
    <ProgramSecrets
      secrets={{
        loading,
        set: (body) => api.maple.put(secretPath, { params, body }),
        remove: (name) => api.maple.delete(secretPath, { params, query: { name } }),
        refresh: () => refreshScript(),
      }}
      value={{
        maxLength: 4096,
        hint: t`Four bytes or more in hex, such as 31323334.`,
        problemOf: (value) =>
          new RegExp(scriptSecretPattern).test(value)
            ? undefined
            : t`Enter four bytes or more in hex, such as 31323334.`,
      }}
      refusal={undefined}
      about={
        <Trans>
          None yet. A script stores a secret on cards with <code>secret('name')</code> in the data
          of MplStoreData, but cannot read it.
        </Trans>
      }
    />
  )
}
