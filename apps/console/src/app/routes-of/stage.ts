// The pages of the Cloud, Resources and Sessions groups, and of the service provider behind a stage.
export const files = import.meta.glob(
  [
    '../../routes/_app/dashboard/maple/approvals.tsx',
    '../../routes/_app/dashboard/maple/binary_images.tsx',
    '../../routes/_app/dashboard/maple/keys.tsx',
    '../../routes/_app/dashboard/maple/readers.tsx',
    '../../routes/_app/dashboard/maple/software_cards.tsx',
    '../../routes/_app/dashboard/maple/applets/**/*.tsx',
    '../../routes/_app/dashboard/maple/providers_/*.tsx',
    '../../routes/_app/dashboard/maple/products/**/*.tsx',
    '../../routes/_app/dashboard/maple/cloud_handlers/**/*.tsx',
    '../../routes/_app/dashboard/maple/device_handlers/**/*.tsx',
    '../../routes/_app/dashboard/maple/rollouts/**/*.tsx',
    '../../routes/_app/dashboard/maple/sessions/**/*.tsx',
    '../../routes/_app/dashboard/maple/templates/**/*.tsx',
  ],
  { eager: true, import: 'Route' },
)
