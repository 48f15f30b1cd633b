/* kiln-import: the program that reads models of the formats with a reader of our own. */
#include "serve.h"

int main(int argc, char **argv)
{
    return kiln_serve(&kiln_importer_own, argc, argv);
}
