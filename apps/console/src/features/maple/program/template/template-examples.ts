import type { TemplateContent } from '@grove/contract/maple/program/template-step.rules'
import { useLingui } from '@lingui/react/macro'

export const exampleNames = ['lock', 'unlock', 'ndef', 'install', 'remove', 'look'] as const
export type ExampleName = (typeof exampleNames)[number]

export interface Example extends TemplateContent {
  name: string
  about: string
}

const ndefAid = 'D2760000850101'
const open = [
  { kind: 'MplSelect', values: {} },
  { kind: 'openChannel', values: { level: '03' } },
] as const
const status = (target: 'lock' | 'unlock') =>
  ({ kind: 'MplSetStatus', values: { target, aid: '{{aid}}' } }) as const

/** Worked examples to start from. */
export function useExamples(): Record<ExampleName, Example> {
  const { t } = useLingui()
  const aid = {
    name: 'aid',
    type: 'aid',
    label: t`AID of the application`,
    isRequired: true,
    default: ndefAid,
  } as const
  return {
    lock: {
      name: t`Lock an applet`,
      about: t`It cannot be selected until it is unlocked. Its data stays.`,
      parameters: [aid],
      steps: [
        ...open,
        { ...status('lock'), rollback: status('unlock') },
        { kind: 'MplSelect', values: { aid: '{{aid}}' }, expect: ['6A82', '6283', '6999', '6985'] },
      ],
    },
    unlock: {
      name: t`Unlock an applet`,
      about: t`It can be selected again.`,
      parameters: [aid],
      steps: [
        ...open,
        { ...status('unlock'), rollback: status('lock') },
        { kind: 'MplSelect', values: { aid: '{{aid}}' } },
      ],
    },
    ndef: {
      name: t`Write an NFC tag`,
      about: t`Personalizes the applet of an NFC tag with a web address. The applet must be on the card.`,
      parameters: [
        { ...aid, label: t`AID of the tag` },
        {
          name: 'url',
          type: 'text',
          label: t`Address without https://`,
          isRequired: true,
          default: 'grove.example/tag',
        },
      ],
      steps: [
        ...open,
        {
          kind: 'MplInstall',
          values: { purpose: 'personalization', instanceAid: '{{aid}}' },
        },
        // A record of the type URI: its length, and 04 for https://.
        {
          kind: 'MplStoreData',
          values: { data: 'D101{{url.length+1}}5504{{url}}' },
        },
      ],
    },
    install: {
      name: t`Install an applet and check it`,
      about: t`Loads and installs an applet, and checks that it is on the card. If anything fails, it is removed again.`,
      parameters: [aid],
      steps: [
        ...open,
        {
          kind: 'installApplet',
          values: { applet: '', instanceAid: '{{aid}}' },
          rollback: { kind: 'deleteApplet', values: { applet: '' } },
        },
        {
          kind: 'MplGetStatus',
          values: { subset: 'applications', aid: '{{aid}}' },
          contains: '{{aid}}',
        },
        { kind: 'MplSelect', values: { aid: '{{aid}}' } },
      ],
    },
    remove: {
      name: t`Remove an application`,
      about: t`Deletes an application with its data. If it is not there, the step still succeeds.`,
      parameters: [aid],
      steps: [
        ...open,
        {
          kind: 'MplDelete',
          values: { target: 'object', aid: '{{aid}}' },
          expect: ['9000', '6A88'],
        },
      ],
    },
    look: {
      name: t`Inspect a card`,
      about: t`Reads the CPLC and the registry of a card. It changes nothing.`,
      parameters: [],
      steps: [
        { kind: 'MplSelect', values: {} },
        { kind: 'MplGetData', values: { tag: '9F7F' } },
        { kind: 'openChannel', values: { level: '03' } },
        { kind: 'MplGetStatus', values: { subset: 'issuer' } },
        {
          kind: 'MplGetStatus',
          values: { subset: 'applications' },
          expect: ['9000', '6310', '6A88'],
        },
      ],
    },
  }
}
