/* kiln-import-assimp: the program that reads models by Assimp. It is one of its own, since loading
 * Assimp takes longer than reading a small model. */
#include "serve.h"

int main(int argc, char **argv)
{
    return kiln_serve(&kiln_importer_assimp, argc, argv);
}
