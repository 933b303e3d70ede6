// A flat config under the name that people look for: ESLint 10 reads no eslintrc, so scripts name this file.
const js = require('@eslint/js');
const tseslint = require('typescript-eslint');

module.exports = tseslint.config(
  {
    ignores: [
      'dist/',
      'build/',
      'build-tests/',
      'executable/',
      'test/bench/out/',
      'coverage/',
      'docs/api/',
      'node_modules/',
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: __dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'CallExpression[callee.property.name=/^(push|unshift|max|min)$/] > SpreadElement',
          message: 'A long list overflows the stack: use a loop, or core/extremes.ts',
        },
      ],
    },
  },
  {
    // The practice server checks the client independently, so it shares only core/ with it.
    files: ['src/practice-server/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^(\\.\\./)+(?!core/|library/|[\\w-]+\\.js$|\\.\\./)',
              message: 'practice-server/ imports only core/ and itself',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['**/*.{js,cjs,mjs}'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        require: 'readonly',
        module: 'writable',
        __dirname: 'readonly',
        Buffer: 'readonly',
        setTimeout: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
      },
    },
  },
  {
    // Read by any Node, to say which one is needed.
    files: ['bin/*.js'],
    languageOptions: { ecmaVersion: 5, sourceType: 'commonjs' },
  },
);
