export const files = import.meta.glob(
  [
    '../../routes/_app/dashboard/cedar/*.tsx',
    '../../routes/_app/dashboard/cedar/mobile/*.tsx',
    '../../routes/_app/dashboard/cedar/providers_/*.tsx',
  ],
  { eager: true, import: 'Route' },
)
