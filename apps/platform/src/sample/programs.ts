import { stageRights } from '@grove/contract/maple/access/right.rules'
import { scriptExamples } from '@grove/contract/maple/program/script-examples.rules'
import type { Provider } from '@grove/contract/cedar/provider'
import type { Actor } from '../core/actor.ts'
import { createKey } from '../services/cedar/api-key/api-key.service.ts'
import type { CedarContext } from '../services/cedar/context.ts'
import * as cloudHandlers from '../services/maple/program/cloud-handler/cloud-handler.service.ts'
import type { ProgramContext } from '../services/maple/program/context.ts'
import * as deviceHandlers from '../services/maple/program/device-handler/device-handler.service.ts'
import { createProduct } from '../services/maple/connect/product/product.service.ts'
import * as scripts from '../services/maple/program/script/script.service.ts'
import { addStageService } from '../services/maple/access/stage/stage.service.ts'
import * as templates from '../services/maple/program/template/template.service.ts'

const thermometer = {
  name: 'Thermometer',
  note: 'Reads the battery and the temperature of the room thermometers.',
  code: `// Three bytes: tenths of a volt, then hundredths of a degree with a sign.
function decode({ bytes }) {
  if (bytes.length !== 3) throw new Error('A measurement has three bytes')
  return {
    telemetry: {
      battery: bytes[0] / 10,
      temperature: (((bytes[1] << 24) >> 16) | bytes[2]) / 100,
    },
  }
}

// How often it measures: 01 and the minutes.
function encode({ name, data }) {
  if (name === 'interval') return { bytes: [1, data.minutes] }
}
`,
  tests: [
    ['A warm room', '210866', { value: { telemetry: { battery: 3.3, temperature: 21.5 } } }],
    ['Below zero', '1EFF38', { value: { telemetry: { battery: 3, temperature: -2 } } }],
    ['Cut off', '21', { error: 'A measurement has three bytes' }],
  ] as const,
}

export type Organisation = Pick<Provider, 'id' | 'translations'>

/**
 * Creates the provider's working stage with one working program of each kind, unless it already has a
 * stage.
 */
export async function addPrograms(
  cedar: CedarContext,
  maple: ProgramContext,
  developer: Actor,
  { id, translations }: Organisation,
): Promise<void> {
  const name = translations[0]?.name ?? id
  if (!(await addStageService(maple, developer, { providerId: id, name }))) return
  const scopes = [...stageRights]
  await createKey(cedar, developer, { id, name: 'Sample', scopes, expiresInDays: null })
  const actor = { ...developer, mandate: { rights: stageRights, scope: { serviceId: id } } }

  const script = await scripts.createScript(maple, actor, {
    name: 'Read the CPLC',
    note: 'Says which chip a card has. Try it on a software card.',
    draft: scriptExamples[0].code,
  })
  await scripts.publishScript(maple, actor, { ...script, note: 'The first version' })

  const template = await templates.createTemplate(maple, actor, {
    name: 'Look at a card',
    about: 'Reads the CPLC and the applications of a card. It changes nothing.',
    steps: [
      { kind: 'MplSelect', values: {} },
      { kind: 'MplGetData', values: { tag: '9F7F' } },
      { kind: 'openChannel', values: { level: '03' } },
      {
        kind: 'MplGetStatus',
        values: { subset: 'applications' },
        expect: ['9000', '6310', '6A88'],
      },
    ],
  })
  await templates.publishTemplate(maple, actor, template)

  const cloudHandler = await cloudHandlers.createHandler(maple, actor, {
    name: 'Devices that come online',
    trigger: { type: 'event', events: ['device.online'], kinds: [], match: [] },
    code: `// Writes the device to the log of the run; a test has none.\nlog(event.type, event.device ?? 'a test')\n`,
  })
  await cloudHandlers.deployHandler(maple, actor, cloudHandler)

  const tests = thermometer.tests.map(([title, hex, expected]) => ({
    name: title,
    input: { call: 'decode' as const, hex },
    expected,
  }))
  const handler = await deviceHandlers.createHandler(maple, actor, { ...thermometer, tests })
  await deviceHandlers.publishHandler(maple, actor, { ...handler, note: 'The first version' })
  await createProduct(maple, actor, {
    name: 'Room thermometer',
    model: 'RT-1',
    revisions: ['A', 'B'],
    handlerId: handler.id,
  })
}
