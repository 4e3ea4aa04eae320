import type { Script } from '@grove/contract/maple/program/script'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { ProgramVersions } from '../code/program-versions.tsx'
import { path, refreshScript, versionQuery, versionsQuery } from './script.api.ts'

export function VersionsSection({ script }: { script: Script }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const versions = useQuery(versionsQuery(script.id))
  const rollBack = (number: number) =>
    confirmed({
      question: {
        title: t`Publish version ${number} again?`,
        text: t`It becomes the newest version. The draft and the versions in between stay.`,
        action: t`Roll back`,
      },
      change: () =>
        api.maple.post(`${path}/{id}/rollback`, {
          params: { id: script.id },
          ifMatch: script.revision,
          body: { number },
        }),
      done: (version) => t`Version ${version.number} is published.`,
      refresh: () => refreshScript(),
    })
  return (
    <ProgramVersions
      loading={versions}
      items={versions.data?.items.map(({ publishedAt, publishedBy, ...version }) => ({
        ...version,
        madeAt: publishedAt,
        madeBy: publishedBy,
      }))}
      empty={
        <Trans>Nothing is published yet. A version never changes, so rollouts use versions.</Trans>
      }
      current={{ number: script.version, text: t({ message: 'Published', context: 'a version' }) }}
      refusal={undefined}
      onRollBack={(number) => void rollBack(number)}
      draft={{ code: script.draft }}
      versionQuery={(number) => versionQuery(script.id, number)}
      codeOf={({ code }) => ({ code })}
    />
  )
}
