import type { DeviceHandler } from '@grove/contract/maple/program/device-handler'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../../../session/api.ts'
import { ProgramVersions } from '../code/program-versions.tsx'
import { jsonText } from '../../base/json-text.ts'
import { useRollBack } from '../publish/use-roll-back.ts'
import { path, refreshHandler, versionQuery, versionsQuery } from './device-handler.api.ts'

export function HandlerVersions({ handler }: { handler: DeviceHandler }) {
  const { t } = useLingui()
  const { id, revision } = handler
  const versions = useQuery(versionsQuery(id))
  const rollBack = useRollBack({
    publish: (number) =>
      api.maple.post(`${path}/{id}/rollback`, {
        params: { id },
        ifMatch: revision,
        body: { number },
      }),
    refresh: refreshHandler,
  })
  return (
    <ProgramVersions
      loading={versions}
      items={versions.data?.items}
      empty={<Trans>Nothing is published yet, so no device uses it.</Trans>}
      current={{ number: handler.version, text: t({ message: 'Published', context: 'a version' }) }}
      refusal={
        handler.rights.change === null ? undefined : t`You do not have the right to do this.`
      }
      onRollBack={rollBack}
      draft={withTests(handler)}
      versionQuery={(number) => versionQuery(id, number)}
      codeOf={withTests}
    />
  )
}

const withTests = ({ code, tests }: Pick<DeviceHandler, 'code' | 'tests'>) => ({
  code: `${code.trimEnd()}\n${tests.map((test) => `// ${jsonText(test).replaceAll('\n', '\n// ')}\n`).join('')}`,
})
