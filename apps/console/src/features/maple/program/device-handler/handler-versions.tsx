import type { DeviceHandler } from '@grove/contract/maple/program/device-handler'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { ProgramVersions } from '../code/program-versions.tsx'
import { jsonText } from '../../base/json-text.ts'
import { path, refreshHandler, versionQuery, versionsQuery } from './device-handler.api.ts'

export function HandlerVersions({ handler }: { handler: DeviceHandler }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const versions = useQuery(versionsQuery(handler.id))
  const rollBack = (number: number) =>
    confirmed({
      question: {
        title: t`Publish version ${number} again?`,
        text: t`It becomes the newest version. The draft and the versions in between stay.`,
        action: t`Roll back`,
      },
      change: () =>
        api.maple.post(`${path}/{id}/rollback`, {
          params: { id: handler.id },
          ifMatch: handler.revision,
          body: { number },
        }),
      done: (version) => t`Version ${version.number} is published.`,
      refresh: () => refreshHandler(),
    })
  return (
    <ProgramVersions
      loading={versions}
      items={versions.data?.items.map(({ publishedAt, publishedBy, ...version }) => ({
        ...version,
        madeAt: publishedAt,
        madeBy: publishedBy,
      }))}
      empty={<Trans>Nothing is published yet, so no device uses it.</Trans>}
      current={{ number: handler.version, text: t({ message: 'Published', context: 'a version' }) }}
      refusal={
        handler.rights.change === null ? undefined : t`You do not have the right to do this.`
      }
      onRollBack={(number) => void rollBack(number)}
      draft={withTests(handler)}
      versionQuery={(number) => versionQuery(handler.id, number)}
      codeOf={withTests}
    />
  )
}

const withTests = ({ code, tests }: Pick<DeviceHandler, 'code' | 'tests'>) => ({
  code: `${code.trimEnd()}\n${tests.map((test) => `// ${jsonText(test).replaceAll('\n', '\n// ')}\n`).join('')}`,
})
