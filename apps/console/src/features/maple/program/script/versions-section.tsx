import type { Script } from '@grove/contract/maple/program/script'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../../../session/api.ts'
import { ProgramVersions } from '../code/program-versions.tsx'
import { useRollBack } from '../publish/use-roll-back.ts'
import { path, refreshScript, versionQuery, versionsQuery } from './script.api.ts'

export function VersionsSection({ script }: { script: Script }) {
  const { t } = useLingui()
  const { id, revision } = script
  const versions = useQuery(versionsQuery(id))
  const rollBack = useRollBack({
    publish: (number) =>
      api.maple.post(`${path}/{id}/rollback`, {
        params: { id },
        ifMatch: revision,
        body: { number },
      }),
    refresh: refreshScript,
  })
  return (
    <ProgramVersions
      loading={versions}
      items={versions.data?.items}
      empty={
        <Trans>Nothing is published yet. A version never changes, so rollouts use versions.</Trans>
      }
      current={{ number: script.version, text: t({ message: 'Published', context: 'a version' }) }}
      refusal={undefined}
      onRollBack={rollBack}
      draft={{ code: script.draft }}
      versionQuery={(number) => versionQuery(id, number)}
      codeOf={({ code }) => ({ code })}
    />
  )
}
