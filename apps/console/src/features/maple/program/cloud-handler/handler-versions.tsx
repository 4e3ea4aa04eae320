import type { OpenCloudHandler } from '@grove/contract/maple/program/cloud-handler'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { ProgramVersions } from '../code/program-versions.tsx'
import { path, refreshHandler, versionOf, versionsOf } from './cloud-handler.api.ts'
import { useFullTriggerText, useLimitLabels } from './cloud-handler.labels.tsx'
import { limitNames } from './handler-values.ts'

export function HandlerVersions({ handler }: { handler: OpenCloudHandler }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const limitLabels = useLimitLabels()
  const triggerText = useFullTriggerText()
  const { id, revision, rights } = handler
  const versions = useQuery(versionsOf(id))
  const items = versions.data?.items
  const rollBack = (version: number) =>
    confirmed({
      question: {
        title: t`Roll back to version ${version}?`,
        text: t`It is published again as a new version. The draft does not change.`,
        action: t({ message: 'Roll back', context: 'a handler' }),
      },
      change: () =>
        api.maple.post(`${path}/{id}/deploy`, {
          params: { id },
          ifMatch: revision,
          body: { version },
        }),
      done: () => t`Version ${version} runs again.`,
      refresh: () => refreshHandler(),
    })
  const codeOf = ({ code, trigger, hosts, limits }: Program) => ({
    code,
    facts: {
      [t`Runs on`]: triggerText(trigger),
      [t`Allowed hosts`]: hosts.join(', '),
      ...Object.fromEntries(limitNames.map((name) => [limitLabels[name], String(limits[name])])),
    },
  })
  return (
    <ProgramVersions
      loading={versions}
      items={items?.map((version) => ({
        number: version.version,
        publishedAt: version.createdAt,
        publishedBy: version.createdBy,
        restoredFrom: version.of,
      }))}
      empty={<Trans>Nothing is published yet.</Trans>}
      current={{
        number: items?.find(({ isDeployed }) => isDeployed)?.version ?? null,
        text: t`Published`,
      }}
      refusal={rights.change === null ? undefined : t`You do not have the right to do this.`}
      onRollBack={(version) => void rollBack(version)}
      draft={codeOf(handler)}
      versionQuery={(version) => versionOf(id, version)}
      codeOf={codeOf}
    />
  )
}

type Program = Pick<OpenCloudHandler, 'code' | 'trigger' | 'hosts' | 'limits'>
